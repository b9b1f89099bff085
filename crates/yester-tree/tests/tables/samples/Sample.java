package sample.words;

import java.util.*;
import static java.lang.Math.max;

/** Counts words. */
@SuppressWarnings("unchecked")
public final class Sample<T extends Comparable<T>> implements Iterable<T> {
    private static final int LIMIT = 0x10;
    private final Map<String, List<Integer>> counts = new HashMap<>();
    protected T[] items;

    enum Colour { RED, GREEN(2); Colour(int... codes) {} }

    interface Reader { String read(int size) throws Exception; }

    record Point(int x, double y) {}

    public Sample(T[] items) {
        super();
        this.items = items;
    }

    @Override
    public Iterator<T> iterator() {
        return Arrays.asList(items).iterator();
    }

    int total(String text, int[] seen) {
        int sum = 0, other = seen[0];
        for (int index = 0; index < LIMIT; index++) {
            if (seen[index] % 2 == 0 && !text.isEmpty()) continue;
            else sum += max(index, other);
        }
        for (String word : text.split(" ")) {
            switch (word) {
                case "a": sum--; break;
                default: sum = -sum;
            }
        }
        try {
            Reader reader = size -> "x" + size;
            text = reader.read((int) 1.5);
        } catch (IllegalStateException | Error error) {
            throw new RuntimeException(error);
        } catch (Exception error) {
            synchronized (this) { other = 'c'; }
        } finally {
            while (sum > 0) sum >>= 1;
        }
        do { sum++; } while (sum < 0);
        Object object = text instanceof String ? Sample.class : null;
        return counts.getOrDefault(text, List.of()).stream().mapToInt(Integer::intValue).sum();
    }
}
