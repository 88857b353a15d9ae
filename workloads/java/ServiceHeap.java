// SPDX-License-Identifier: MIT
// Makes a real heap graph: fills the caches of a small shop as a server's requests do, forgets what
// has expired, and dumps the heap as HPROF.  docs/importing.md has the recipe.
//
//   java -XX:+UseSerialGC -Xms2g -Xmn1g ServiceHeap.java OUT.hprof [REQUESTS]
//
// The same seed asks for the same requests every time.

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Date;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

final class ServiceHeap {
  enum Status { OPEN, PAID, SENT, DELIVERED, RETURNED }

  static final class Address {
    String street;
    String town;
    String region;
    String country;
  }

  static final class User {
    UUID id;
    String name;
    String mail;
    String phone;
    Address home;
    Address work;
    LocalDate born;
    Map<String, String> settings;
    List<String> groups;
  }

  static final class Price {
    long cents;
    String currency;
    BigDecimal exact;
  }

  static final class Item {
    String code;
    String title;
    String note;
    int count;
    Price price;
    Price discount;
    Map<String, String> options;
  }

  static final class Order {
    Long number;
    String reference;
    String voucher;
    String note;
    Status status;
    List<Item> items = new ArrayList<>();
    Address to;
    Address bill;
    Price total;
    Instant placed;
    Date sent;
    Date delivered;
    Map<Status, Date> history;
  }

  static final class Session {
    String id;
    User user;
    LocalDateTime since;
    Date seen;
    String address;
    String agent;
    String token;
    Map<String, Object> attributes;
    List<Item> cart;
    Order last;
    Throwable failure;
  }

  static final class Event {
    String kind;
    Long number;
    Date at;
    Map<String, Object> payload;
    Throwable failure;
  }

  private static final int SESSIONS_KEPT_OF_8 = 7;
  private static final String[] AGENTS = {"browser", "phone", "tablet", "robot"};

  private final Random random = new Random(1);
  private final Map<String, Session> sessions = new HashMap<>();
  private final Map<Long, Order> orders = new ConcurrentHashMap<>();
  private final Map<String, Map<String, Map<String, Long>>> stock = new TreeMap<>();
  private final Map<String, String> pages = new LinkedHashMap<>();
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private final LinkedList<Event> retries = new LinkedList<>();

  public static void main(String[] args) throws Exception {
    if (args.length < 1 || args.length > 2) {
      System.err.println("usage: java ServiceHeap.java OUT.hprof [REQUESTS]");
      System.exit(2);
    }
    Path out = Path.of(args[0]).toAbsolutePath();
    int requests = args.length > 1 ? Integer.parseInt(args[1]) : 13_000;
    ServiceHeap service = new ServiceHeap();
    for (int i = 0; i < requests; i++) {
      // What the last tenth leaves dead is still there when the heap is dumped.
      if (i == requests / 10 * 9) System.gc();
      service.serve(i);
    }
    Files.deleteIfExists(out);
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpHeap(out.toString(), false);
    Reference.reachabilityFence(service);
    System.err.println(Files.size(out) + " bytes in " + out);
  }

  // ---- Requests -------------------------------------------------------------------------------

  private void serve(int request) {
    if (chance(12)) comeBack(request);
    else logIn(request);
    if (chance(12)) countStock();
    if (chance(15)) pages.put("/page/" + name(6, 20), name(40, 400));
    if (request % 8 >= SESSIONS_KEPT_OF_8) expire(request);
    while (events.size() > 500) retry(events.poll());
  }

  private void logIn(int request) {
    Session session = new Session();
    session.id = id(request);
    sessions.put(session.id, session);
    session.user = user();
    session.since = LocalDateTime.of(2024, 1 + random.nextInt(12), 1 + random.nextInt(28),
        random.nextInt(24), random.nextInt(60), random.nextInt(60));
    session.seen = new Date(1_700_000_000_000L + request * 1000L);
    session.address = "10." + random.nextInt(256) + "." + random.nextInt(256) + ".1";
    session.agent = AGENTS[random.nextInt(AGENTS.length)];
    if (chance(50)) session.token = name(20, 44);
    if (chance(60)) session.attributes = attributes(2);
    if (chance(50)) session.cart = items(new ArrayList<>(), 1 + random.nextInt(4));
    if (chance(60)) session.last = order(session.user, request);
    if (chance(2)) session.failure = new IllegalStateException(name(10, 60));
  }

  // Somebody is back: what is new lies far from what it joins.
  private void comeBack(int request) {
    Session session = sessions.get(id(random.nextInt(request + 1)));
    if (session == null) return;
    session.seen = new Date(session.seen.getTime() + random.nextInt(1_000_000));
    if (session.cart == null) session.cart = new ArrayList<>();
    items(session.cart, 1 + random.nextInt(2));
    if (chance(30)) session.last = order(session.user, session.cart.size());
    if (session.attributes != null) session.attributes.put("step", (long) random.nextInt(10_000));
  }

  private void expire(int request) {
    Session gone = sessions.remove(id(random.nextInt(request + 1)));
    if (gone != null && gone.last != null) orders.remove(gone.last.number);
  }

  private void retry(Event event) {
    if (chance(10)) retries.add(event);
    if (retries.size() > 800) retries.removeFirst();
  }

  // ---- What they leave in the caches ----------------------------------------------------------

  private static String id(int request) {
    return new UUID(request * 0x9E3779B97F4A7C15L, request * 0xC2B2AE3D27D4EB4FL).toString();
  }

  private User user() {
    User user = new User();
    user.id = new UUID(random.nextLong(), random.nextLong());
    user.name = name(5, 24);
    user.mail = name(5, 12) + "@" + name(4, 10) + ".example";
    if (chance(40)) user.phone = "+43" + random.nextInt(1_000_000_000);
    if (chance(70)) user.home = address();
    if (chance(15)) user.work = address();
    if (chance(50)) user.born = LocalDate.of(1950 + random.nextInt(55), 1 + random.nextInt(12), 1);
    if (chance(40)) {
      user.settings = new HashMap<>();
      for (int n = 1 + random.nextInt(4); n > 0; n--) user.settings.put(name(3, 10), name(2, 12));
    }
    if (chance(30)) {
      user.groups = new LinkedList<>();
      for (int n = 1 + random.nextInt(3); n > 0; n--) user.groups.add(name(4, 14));
    }
    return user;
  }

  private Address address() {
    Address address = new Address();
    address.street = name(8, 30);
    address.town = name(4, 18);
    if (chance(20)) address.region = name(4, 16);
    address.country = name(2, 2);
    return address;
  }

  private Price price(int limit) {
    Price price = new Price();
    price.cents = random.nextInt(limit);
    if (chance(5)) price.currency = name(3, 3);
    if (chance(30)) price.exact = BigDecimal.valueOf(price.cents, 2);
    return price;
  }

  private List<Item> items(List<Item> items, int count) {
    for (int i = 0; i < count; i++) {
      Item item = new Item();
      item.code = name(8, 13);
      item.title = name(8, 60);
      if (chance(8)) item.note = name(10, 80);
      item.count = 1 + random.nextInt(5);
      item.price = price(100_000);
      if (chance(20)) item.discount = price(5_000);
      if (chance(25)) {
        item.options = new HashMap<>(4);
        for (int n = 1 + random.nextInt(3); n > 0; n--) item.options.put(name(4, 8), name(2, 10));
      }
      items.add(item);
    }
    return items;
  }

  private Order order(User user, int request) {
    Order order = new Order();
    order.number = random.nextLong() >>> 16;
    orders.put(order.number, order);
    order.reference = "R-" + Long.toHexString(order.number);
    if (chance(10)) order.voucher = name(8, 12);
    if (chance(15)) order.note = name(10, 120);
    order.status = Status.values()[random.nextInt(5)];
    items(order.items, 1 + random.nextInt(6));
    order.to = chance(70) ? address() : user.home;
    if (chance(10)) order.bill = address();
    order.total = price(1_000_000);
    order.placed = Instant.ofEpochSecond(1_700_000_000L + request);
    if (order.status.ordinal() >= 2) order.sent = date();
    if (order.status.ordinal() >= 3) order.delivered = date();
    if (chance(35)) {
      order.history = new EnumMap<>(Status.class);
      for (int s = 0; s <= order.status.ordinal(); s++)
        order.history.put(Status.values()[s], date());
    }
    tell("ordered", order.number);
    return order;
  }

  private void tell(String kind, Long number) {
    Event event = new Event();
    event.kind = kind;
    event.number = number;
    event.at = date();
    if (chance(60)) event.payload = attributes(1);
    events.add(event);
  }

  private Map<String, Object> attributes(int depth) {
    Map<String, Object> map = new HashMap<>();
    for (int n = 1 + random.nextInt(5); n > 0; n--) map.put(name(3, 12), attribute(depth));
    return map;
  }

  private Object attribute(int depth) {
    switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0: return name(2, 40);
      case 1: return 1000L + random.nextInt(1_000_000);
      case 2: return 1000 + random.nextInt(1_000_000);
      case 3: return random.nextDouble();
      case 4: return date();
      case 5: return random.nextBoolean();
      case 6: return attributes(depth - 1);
      default: {
        List<Object> list = new ArrayList<>();
        for (int n = random.nextInt(6); n > 0; n--) list.add(attribute(depth - 1));
        return list;
      }
    }
  }

  private void countStock() {
    stock.computeIfAbsent("store-" + random.nextInt(40), s -> new TreeMap<>())
        .computeIfAbsent("shelf-" + random.nextInt(30), s -> new HashMap<>())
        .put(name(8, 13), 1000L + random.nextInt(10_000));
  }

  // ---- Chance ---------------------------------------------------------------------------------

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private Date date() {
    return new Date(1_700_000_000_000L + random.nextInt());
  }

  private String name(int least, int most) {
    char[] letters = new char[least + random.nextInt(most - least + 1)];
    for (int i = 0; i < letters.length; i++) letters[i] = (char) ('a' + random.nextInt(26));
    return new String(letters);
  }
}
