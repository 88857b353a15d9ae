# Binary trees.
type Node = ref object
  left, right: Node

proc make(depth: int): Node =
  if depth == 0: Node() else: Node(left: make(depth - 1), right: make(depth - 1))

proc count(node: Node): int =
  if node == nil: 0 else: 1 + count(node.left) + count(node.right)

proc work(depth: int): int =
  for i in 0 ..< 12:
    result += count(make(depth))

let keep = make(15)
var sum = 0
for i in 0 ..< 20:
  sum += count(make(13))
echo sum
echo count(keep)
echo work(12)
var texts: seq[string]
for i in 0 ..< 200_000:
  texts.add($i)
echo texts.len, " ", texts[^1]
