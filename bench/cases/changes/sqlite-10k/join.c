#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

/* The statistics make a Bloom filter look worth its cost. */
static const char setup[] =
    "CREATE TABLE sale(amount, product TEXT);"
    "CREATE TABLE name(id INTEGER PRIMARY KEY, text);"
    "CREATE TABLE price(id INTEGER PRIMARY KEY, cents);"
    "ANALYZE sqlite_master;"
    "INSERT INTO sqlite_stat1 VALUES('sale', 'a', '500 5'), ('name', 'a', '5 5'), ('price', 'b', '5 5');"
    "ANALYZE sqlite_master;"
    "INSERT INTO sale VALUES(3, '77');"
    "INSERT INTO name VALUES(77, 'tea');"
    "INSERT INTO price VALUES(77, '250');";

static const char query[] =
    "SELECT name.text FROM sale, name, price"
    " WHERE name.id = sale.product AND name.text != 'none' AND price.id = sale.product AND price.cents != 'none'";

static int rows, right;

static int row(void *unused, int columns, char **values, char **names)
{
    rows++;
    right += columns == 1 && values[0] && strcmp(values[0], "tea") == 0;
    return 0;
}

int main(void)
{
    sqlite3 *database;
    if (sqlite3_open(":memory:", &database) || sqlite3_exec(database, setup, 0, 0, 0)
        || sqlite3_exec(database, query, row, 0, 0))
        return 125;
    if (rows == 1 && right == 1)
        return 0;
    return rows == 0 ? 1 : 125;
}
