local letters = 0
for _, code in utf8.codes("caf\u{e9}es\x80") do
  print(utf8.char(code))
  letters = letters + 1
end
assert(letters == 6, letters .. " letters")
