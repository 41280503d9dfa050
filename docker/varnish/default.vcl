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

# A failed refresh does not replace an old answer that may still be served.
sub vcl_backend_response {
  if (bereq.is_bgfetch && beresp.status >= 500) {
    return (abandon);
  }
}

sub vcl_backend_error {
  if (bereq.is_bgfetch) {
    return (abandon);
  }
  set beresp.http.Content-Type = "application/problem+json";
  set beresp.http.Retry-After = "1";
  synthetic({"{"type":"urn:testbed:problem:unavailable","title":"The service is not available","status":503}"});
  return (deliver);
}
