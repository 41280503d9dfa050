/** What each finding in Java does when the behaviour is no longer as it states. */
abstract class Finding {

  static void expect(boolean asStated, String what) {
    if (!asStated) {
      System.out.println("NO LONGER SO: " + what);
      System.exit(1);
    }
  }
}
