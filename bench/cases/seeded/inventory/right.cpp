// inventory - keeps the stock of a small shop.
//
// Commands on standard input, one a line:
//   stock NAME COUNT CENTS      new goods at this price
//   discount NAME PERCENT FROM  a discount for FROM pieces and more
//   order CUSTOMER NAME COUNT   sells, or notes what is missing
//   deliver                     serves the notes, oldest first
//   cheapest CENTS              what can be had for that money, cheapest first
//   bill CUSTOMER               what a customer owes
//   report                      the stock
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

struct Item {
    int count = 0;
    int cents = 0;
    int percent = 0;
    int from = 0;
    int sold = 0;
};

struct Note {
    std::string customer;
    std::string name;
    int count;
};

struct Offer {
    std::string name;
    int cents;
};

using Words = std::vector<std::string>;

static Words split(const std::string &text, char separator)
{
    Words words;
    std::string word;

    for (char c : text) {
        if (c == separator) {
            if (!word.empty()) {
                words.push_back(word);
            }
            word.clear();
        } else {
            word += c;
        }
    }
    if (!word.empty()) {
        words.push_back(word);
    }
    return words;
}

static bool is_number(const std::string &text)
{
    if (text.empty() || text.size() > 7) {
        return false;
    }
    for (char c : text) {
        if (c < '0' || c > '9') {
            return false;
        }
    }
    return true;
}

static bool is_cheaper(const Offer &left, const Offer &right)
{
    if (left.cents != right.cents) {
        return left.cents < right.cents;
    }
    return left.name < right.name;
}

static std::string money(int cents)
{
    char text[32];

    snprintf(text, sizeof text, "%d.%02d", cents / 100, cents % 100);
    return text;
}

class Shop {
public:
    bool execute(const Words &words);

private:
    void stock(const std::string &name, int count, int cents);
    void discount(const std::string &name, int percent, int from);
    void order(const std::string &customer, const std::string &name, int count);
    void deliver();
    void cheapest(int cents) const;
    void bill(const std::string &customer) const;
    void report() const;
    bool sell(const std::string &customer, const std::string &name, int count);
    int price(const Item &item, int count) const;

    std::map<std::string, Item> items;
    std::map<std::string, int> debts;
    std::vector<Note> notes;
};

// What so many pieces cost; whole cents, rounded to the nearest.
int Shop::price(const Item &item, int count) const
{
    int total = item.cents * count;

    if (item.percent > 0 && count >= item.from) {
        total -= (total * item.percent + 50) / 100;
    }
    return total;
}

void Shop::stock(const std::string &name, int count, int cents)
{
    Item &item = items[name];

    if (item.count > 0 && item.cents != cents) {
        printf("%s: now %s\n", name.c_str(), money(cents).c_str());
    }
    item.count += count;
    item.cents = cents;
}

void Shop::discount(const std::string &name, int percent, int from)
{
    auto found = items.find(name);

    if (found == items.end()) {
        printf("%s: unknown\n", name.c_str());
    } else if (percent > 90) {
        printf("%s: too much\n", name.c_str());
    } else {
        found->second.percent = percent;
        found->second.from = from;
    }
}

bool Shop::sell(const std::string &customer, const std::string &name, int count)
{
    auto found = items.find(name);

    if (found == items.end() || found->second.count < count) {
        return false;
    }
    Item &item = found->second;
    int total = price(item, count);
    item.count -= count;
    item.sold += count;
    debts[customer] += total;
    printf("%s: %d %s for %s\n", customer.c_str(), count, name.c_str(), money(total).c_str());
    return true;
}

void Shop::order(const std::string &customer, const std::string &name, int count)
{
    if (items.find(name) == items.end()) {
        printf("%s: unknown\n", name.c_str());
        return;
    }
    if (!sell(customer, name, count)) {
        notes.push_back({customer, name, count});
        printf("%s: noted\n", customer.c_str());
    }
}

void Shop::deliver()
{
    std::vector<Note> open;

    for (const Note &note : notes) {
        if (!sell(note.customer, note.name, note.count)) {
            open.push_back(note);
        }
    }
    notes = open;
    if (!notes.empty()) {
        printf("%d open\n", (int)notes.size());
    }
}

void Shop::cheapest(int cents) const
{
    std::vector<Offer> offers;

    for (const auto &entry : items) {
        if (entry.second.count > 0 && entry.second.cents <= cents) {
            offers.push_back({entry.first, entry.second.cents});
        }
    }
    std::sort(offers.begin(), offers.end(), is_cheaper);
    for (size_t i = 0; i < offers.size(); i++) {
        cents -= offers[i].cents;
        if (cents < 0) {
            break;
        }
        printf("%s%s", i > 0 ? ", " : "", offers[i].name.c_str());
    }
    printf("%s\n", offers.empty() ? "nothing" : "");
}

void Shop::bill(const std::string &customer) const
{
    auto found = debts.find(customer);
    int debt = found == debts.end() ? 0 : found->second;
    int waiting = 0;

    for (const Note &note : notes) {
        if (note.customer == customer) {
            waiting += note.count;
        }
    }
    printf("%s owes %s", customer.c_str(), money(debt).c_str());
    if (waiting > 0) {
        printf(" and waits for %d", waiting);
    }
    printf("\n");
}

void Shop::report() const
{
    int value = 0;

    for (const auto &entry : items) {
        const Item &item = entry.second;

        printf("%-8s %4d %8s", entry.first.c_str(), item.count, money(item.cents).c_str());
        if (item.sold > 0) {
            printf(" sold %d", item.sold);
        }
        if (item.count < 3) {
            printf(" low");
        }
        printf("\n");
        value += item.count * item.cents;
    }
    printf("total %s\n", money(value).c_str());
}

bool Shop::execute(const Words &words)
{
    const std::string &verb = words[0];
    size_t count = words.size();

    if (verb == "stock" && count == 4 && is_number(words[2]) && is_number(words[3])) {
        stock(words[1], atoi(words[2].c_str()), atoi(words[3].c_str()));
    } else if (verb == "discount" && count == 4 && is_number(words[2]) && is_number(words[3])) {
        discount(words[1], atoi(words[2].c_str()), atoi(words[3].c_str()));
    } else if (verb == "order" && count == 4 && is_number(words[3])) {
        order(words[1], words[2], atoi(words[3].c_str()));
    } else if (verb == "deliver" && count == 1) {
        deliver();
    } else if (verb == "cheapest" && count == 2 && is_number(words[1])) {
        cheapest(atoi(words[1].c_str()));
    } else if (verb == "bill" && count == 2) {
        bill(words[1]);
    } else if (verb == "report" && count == 1) {
        report();
    } else {
        return false;
    }
    return true;
}

static bool read_line(std::string &line)
{
    int c = getchar();

    line.clear();
    if (c == EOF) {
        return false;
    }
    while (c != EOF && c != '\n') {
        line += (char)c;
        c = getchar();
    }
    return true;
}

int main()
{
    Shop shop;
    int failures = 0;

    for (;;) {
        std::string line;

        if (!read_line(line)) {
            break;
        }
        Words words = split(line, ' ');
        if (!words.empty() && !shop.execute(words)) {
            printf("? %s\n", line.c_str());
            failures++;
        }
    }
    return failures > 0 ? 1 : 0;
}
