local letters = 0
for _ in utf8.codes("caf\u{e9}\x80") do
  letters = letters + 1
end
assert(letters == 4, letters .. " letters")
