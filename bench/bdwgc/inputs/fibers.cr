# Fibers of several threads (-Dpreview_mt): each keeps a tree on its own stack while others run.
class Node
  def initialize(@left : Node?, @right : Node?)
  end

  def count : Int32
    1 + (@left.try(&.count) || 0) + (@right.try(&.count) || 0)
  end
end

def build(depth) : Node
  depth == 0 ? Node.new(nil, nil) : Node.new(build(depth - 1), build(depth - 1))
end

results = Channel(Int32).new
32.times do
  spawn do
    kept = build(12)
    sum = 0
    10.times do
      Fiber.yield
      sum += build(9).count
    end
    results.send(kept.count + sum)
  end
end
total = 0
32.times { total += results.receive }
puts total
