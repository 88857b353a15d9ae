# A long page with tables, links and lists, the same every time.
function next_number() {
  seed = (seed * 1103515 + 12345) % 2147483647
  return seed
}
BEGIN {
  seed = 1
  print "<html><head><title>A long page</title></head><body>"
  for (part = 0; part < 6000; part++) {
    print "<h2>Part " part "</h2><table border=1><tr>"
    for (cell = 0; cell < 6; cell++)
      print "<td><a href=\"part" part "-" cell "\">cell " part * cell " <b>" next_number() % 1000 "</b></a></td>"
    print "</tr></table><p>"
    for (word = 0; word < 30; word++) printf "word%d ", next_number() % 5000
    print "</p><ul><li>one<li>two</ul>"
  }
  print "</body></html>"
}
