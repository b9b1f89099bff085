#include <vector>
#include "sample.hpp"

namespace words {

enum class Colour : int { Red, Green = 2 };

template <typename T, int Size = 3>
class Reader : public Base, private Other<T> {
public:
    explicit Reader(const std::vector<T> &items) : items_(items), count_{0} {}
    virtual ~Reader() = default;
    Reader(const Reader &) = delete;
    bool operator==(const Reader &other) const { return count_ == other.count_; }
    [[nodiscard]] auto size() const noexcept -> int { return count_; }

protected:
    std::vector<T> items_;
    int count_ = Size;
    friend class Writer;
};

using Names = Reader<char *>;
constexpr double ratio = 1.5;

static int total(Names &names, int &&extra) {
    int sum = 0;
    for (auto &name : names.items()) {
        if (name == nullptr || !*name) continue;
        else sum += static_cast<int>(name[0]);
    }
    for (int index = 0; index < 10; ++index) switch (index) { case 1: sum--; break; default: sum = -sum; }
    auto twice = [&sum, extra](int value) mutable { return value * 2 + sum; };
    try {
        while (sum > 0) sum = twice(sum) ? sum >> 1 : 0;
    } catch (const std::exception &error) {
        throw std::runtime_error("bad" "ness");
    } catch (...) {
        delete new int[3];
    }
    return sum + sizeof(int) + (int)'c' + R"(raw)"[0];
}

} // namespace words

int main() { return words::total<>(*(words::Names *)0, 1); }
