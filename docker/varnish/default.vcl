# Keeps an answer of the feed for as long as the feed says (Cache-Control). Requests that come while it is asked
# for wait for that one answer.
vcl 4.1;

backend feed {
  .host = "feed-service";
  .port = "8087";
  .connect_timeout = 1s;
  .first_byte_timeout = 10s;
  .between_bytes_timeout = 5s;
}

# A failure does not replace an old answer that may still be served. It is kept only until those that wait for it
# have it: with no time at all, each of them would ask the feed in turn. By its built-in policy Varnish would note
# for 120 s that this answer cannot be kept, and meanwhile neither serve old answers nor let requests wait.
sub vcl_backend_response {
  if (beresp.status >= 500) {
    if (bereq.is_bgfetch) {
      return (abandon);
    }
    set beresp.ttl = 10ms;
    set beresp.grace = 0s;
    set beresp.keep = 0s;
    return (deliver);
  }
}

sub vcl_backend_error {
  if (bereq.is_bgfetch) {
    return (abandon);
  }
  set beresp.grace = 0s;
  set beresp.http.Content-Type = "application/problem+json";
  set beresp.http.Retry-After = "1";
  synthetic({"{"type":"urn:testbed:problem:unavailable","title":"The service is not available","status":503}"});
  return (deliver);
}
