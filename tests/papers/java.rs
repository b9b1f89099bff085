use std::fmt::Write;

/// A Java class that hashes like SHA-1, with a division by zero deep in one of its expressions. It stands for the file
/// of the thesis, which is lost, and is about as big.
pub fn sha1() -> String {
    let mut text = String::from(HEAD);
    text.push_str("    private void transform(byte[] block, int offset) {\n");
    text.push_str(
        "        int A = state[0], B = state[1], C = state[2], D = state[3], E = state[4];\n",
    );
    for word in 0..16 {
        let at = 4 * word;
        writeln!(
            text,
            "        w[{word}] = ((block[offset + {at}] & 0xFF) << 24) | ((block[offset + {}] & 0xFF) << 16) \
             | ((block[offset + {}] & 0xFF) << 8) | (block[offset + {}] & 0xFF);",
            at + 1,
            at + 2,
            at + 3,
        )
        .expect("a string grows");
    }
    text.push_str("        int x;\n");
    for word in 16..80 {
        let [third, eighth, fourteenth, last] = [3, 8, 14, 16].map(|before| word - before);
        writeln!(
            text,
            "        x = w[{third}] ^ w[{eighth}] ^ w[{fourteenth}] ^ w[{last}];\n        \
             w[{word}] = (x << 1) | (x >>> 31);"
        )
        .expect("a string grows");
    }
    let mut names = ["A", "B", "C", "D", "E"];
    for round in 0..80 {
        let [a, b, c, d, e] = names;
        let constant = ["0x5A827999", "0x6ED9EBA1", "0x8F1BBCDC", "0xCA62C1D6"][round / 20];
        let mixed = match round {
            0..20 => format!("(({b} & {c}) | (~{b} & {d}))"),
            40..60 => format!("(({b} & {c}) | ({b} & {d}) | ({c} & {d}))"),
            73 => format!("({b} ^ ({c} + ({d} * (w[9] ^ {b}) / 0)))"),
            _ => format!("({b} ^ {c} ^ {d})"),
        };
        writeln!(
            text,
            "        {e} += (({a} << 5) | ({a} >>> 27)) + {mixed} + w[{round}] + {constant};\n        \
             {b} = ({b} << 30) | ({b} >>> 2);"
        )
        .expect("a string grows");
        names.rotate_right(1);
    }
    for (index, name) in names.into_iter().enumerate() {
        writeln!(text, "        state[{index}] += {name};").expect("a string grows");
    }
    text.push_str("    }\n}\n");
    text
}

const HEAD: &str = "\
/* The secure hash algorithm, by the book. */
package yester.hash;

import java.security.DigestException;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * Hashes bytes. Not to be used where somebody might want two texts to have one hash.
 */
public final class SHA1 extends MessageDigest implements Cloneable {
    /** How many bytes are taken in at once. */
    private static final int BLOCK_LENGTH = 64;
    private static final int HASH_LENGTH = 20;
    private final int[] state = new int[5];
    private final int[] w = new int[80];
    private final byte[] buffer = new byte[BLOCK_LENGTH];
    private long count;

    public SHA1() {
        super(\"SHA-1\");
        engineReset();
    }

    private SHA1(SHA1 other) {
        super(\"SHA-1\");
        System.arraycopy(other.state, 0, state, 0, state.length);
        System.arraycopy(other.buffer, 0, buffer, 0, buffer.length);
        count = other.count;
    }

    public Object clone() {
        return new SHA1(this);
    }

    protected int engineGetDigestLength() {
        return HASH_LENGTH;
    }

    protected void engineReset() {
        // As in the standard.
        state[0] = 0x67452301;
        state[1] = 0xEFCDAB89;
        state[2] = 0x98BADCFE;
        state[3] = 0x10325476;
        state[4] = 0xC3D2E1F0;
        count = 0;
        Arrays.fill(buffer, (byte) 0);
    }

    protected void engineUpdate(byte input) {
        int at = (int) (count % BLOCK_LENGTH);
        buffer[at] = input;
        count++;
        if (at == BLOCK_LENGTH - 1) {
            transform(buffer, 0);
        }
    }

    protected void engineUpdate(byte[] input, int offset, int length) {
        int at = (int) (count % BLOCK_LENGTH);
        count += length;
        if (at + length >= BLOCK_LENGTH) {
            int part = BLOCK_LENGTH - at;
            System.arraycopy(input, offset, buffer, at, part);
            transform(buffer, 0);
            int i;
            for (i = part; i + BLOCK_LENGTH <= length; i += BLOCK_LENGTH) {
                transform(input, offset + i);
            }
            System.arraycopy(input, offset + i, buffer, 0, length - i);
        } else {
            System.arraycopy(input, offset, buffer, at, length);
        }
    }

    protected byte[] engineDigest() {
        byte[] hash = new byte[HASH_LENGTH];
        try {
            engineDigest(hash, 0, HASH_LENGTH);
        } catch (DigestException error) {
            throw new IllegalStateException(error.getMessage());
        }
        return hash;
    }

    protected int engineDigest(byte[] hash, int offset, int length) throws DigestException {
        if (length < HASH_LENGTH || hash.length - offset < HASH_LENGTH) {
            throw new DigestException(\"there are \" + length + \" bytes for a hash of \" + HASH_LENGTH);
        }
        long bits = count * 8;
        engineUpdate((byte) 0x80);
        while (count % BLOCK_LENGTH != BLOCK_LENGTH - 8) {
            engineUpdate((byte) 0);
        }
        for (int shift = 56; shift >= 0; shift -= 8) {
            engineUpdate((byte) (bits >>> shift));
        }
        for (int i = 0; i < HASH_LENGTH; i++) {
            hash[offset + i] = (byte) (state[i / 4] >>> (24 - 8 * (i % 4)));
        }
        engineReset();
        return HASH_LENGTH;
    }

";
