# Binary trees, and fibers that hold objects on their stacks.
class Node
  getter left : Node?
  getter right : Node?

  def initialize(@left = nil, @right = nil)
  end

  def self.make(depth) : Node
    depth == 0 ? new : new(make(depth - 1), make(depth - 1))
  end

  def count : Int32
    1 + (left.try(&.count) || 0) + (right.try(&.count) || 0)
  end
end

keep = Node.make(15)
sum = 0
20.times { sum += Node.make(13).count }
puts sum
puts keep.count

channel = Channel(Int32).new
8.times do |i|
  spawn do
    mine = Node.make(10)
    5.times do
      Fiber.yield
      Node.make(11)
    end
    channel.send(mine.count + i)
  end
end
puts (0...8).sum { channel.receive }
words = Hash(String, Int32).new(0)
300_000.times { |i| words["word#{i % 5000}"] += 1 }
puts words.size, words["word77"]
