/* Lists of objects that the collecting runtime of Objective-C makes and nobody frees. */
#include <objc/runtime.h>
#include <stdio.h>

__attribute__((objc_root_class)) @interface Node {
@public
  Class isa;
  Node *next;
  int number;
}
+ (Node *)number:(int)number before:(Node *)next;
@end

@implementation Node
+ (Node *)number:(int)number before:(Node *)next {
  Node *node = class_createInstance(self, 0);
  node->number = number;
  node->next = next;
  return node;
}
@end

int main(void) {
  long sum = 0;
  for (int round = 0; round < 400; round++) {
    Node *list = 0;
    for (int i = 0; i < 10000; i++) list = [Node number:i before:list];
    for (; list; list = list->next) sum += list->number;
  }
  printf("%ld\n", sum);
  return 0;
}
