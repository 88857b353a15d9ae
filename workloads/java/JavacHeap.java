// SPDX-License-Identifier: MIT
// Makes a real heap graph: has javac analyse part of the JDK's own library, keeps the compiler's
// whole heap alive, and dumps it as HPROF.  docs/importing.md has the recipe.
//
//   java JavacHeap.java SRC_ZIP OUT.hprof MODULE PACKAGE...
//
// SRC_ZIP is the JDK's lib/src.zip; a PACKAGE is a folder of MODULE such as java/util, without the
// folders below it, or java/util/... with them.

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

final class JavacHeap {
  public static void main(String[] args) throws Exception {
    if (args.length < 4) {
      System.err.println("usage: java JavacHeap.java SRC_ZIP OUT.hprof MODULE PACKAGE...");
      System.exit(2);
    }
    Path out = Path.of(args[1]).toAbsolutePath();
    String module = args[2];
    List<String> packages = Arrays.asList(args).subList(3, args.length);
    Path folder = Files.createTempDirectory("javac-heap");
    try {
      List<Path> sources = extract(Path.of(args[0]), folder, module, packages);
      System.err.println(sources.size() + " source files");
      dump(folder, module, sources, out);
    } finally {
      remove(folder);
    }
    System.err.println(Files.size(out) + " bytes in " + out);
  }

  // Sorted, so that the compiler meets the files in the same order every time.
  private static List<Path> extract(Path zip, Path folder, String module, List<String> packages)
      throws IOException {
    List<Path> sources = new ArrayList<>();
    try (FileSystem files = FileSystems.newFileSystem(zip)) {
      for (String name : packages) {
        boolean deep = name.endsWith("/...");
        Path top = files.getPath("/" + module, deep ? name.substring(0, name.length() - 4) : name);
        try (Stream<Path> found = Files.walk(top, deep ? Integer.MAX_VALUE : 1)) {
          for (Path from : (Iterable<Path>) found.filter(JavacHeap::isSource).sorted()::iterator) {
            Path to = folder.resolve(from.toString().substring(module.length() + 2));
            Files.createDirectories(to.getParent());
            Files.copy(from, to);
            sources.add(to);
          }
        }
      }
    }
    return sources;
  }

  private static boolean isSource(Path path) {
    String name = path.getFileName() == null ? "" : path.getFileName().toString();
    return name.endsWith(".java") && !name.equals("module-info.java")
        && !name.equals("package-info.java");
  }

  private static void dump(Path folder, String module, List<Path> sources, Path out)
      throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      List<String> options = List.of("-proc:none", "-nowarn", "-XDignore.symbol.file",
          "--patch-module", module + "=" + folder);
      JavacTask task = (JavacTask) compiler.getTask(
          null, manager, diagnostic -> {}, options, null, manager.getJavaFileObjectsFromPaths(sources));
      Object trees = task.parse();
      Object elements = task.analyze();
      Files.deleteIfExists(out);
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(out.toString(), true);
      // The compiler's state must be reachable until the dump is written.
      Reference.reachabilityFence(trees);
      Reference.reachabilityFence(elements);
      Reference.reachabilityFence(task);
    }
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> found = Files.walk(folder)) {
      for (Path path : (Iterable<Path>) found.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    }
  }
}
