-- Words and their counts.
CREATE TABLE words (
  id INTEGER PRIMARY KEY,
  word VARCHAR(20) NOT NULL DEFAULT 'a',
  price DECIMAL(10, 2)
);
CREATE INDEX by_word ON words (word);
INSERT INTO words (id, word) VALUES (1, 'one'), (2, NULL);
SELECT w.id, COUNT(*) AS total, CASE WHEN price > 1.5 THEN 'x' ELSE 'y' END
FROM words AS w
LEFT JOIN other o ON w.id = o.id
WHERE word LIKE 'a%' AND id IN (1, 2) OR NOT price BETWEEN 1 AND 2
GROUP BY w.id HAVING COUNT(*) > 1
ORDER BY total DESC LIMIT 10;
UPDATE words SET price = price * 2 WHERE id = 1;
DELETE FROM words WHERE EXISTS (SELECT 1 FROM other);
WITH recent AS (SELECT id FROM words) SELECT id FROM recent UNION ALL SELECT 3;
DROP TABLE words;
