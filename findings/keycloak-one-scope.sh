#!/usr/bin/env bash
# Keycloak 26.7.3.
# Guess: a realm file with a client scope of one's own adds it to those that Keycloak gives each realm.
# What happens: the realm has that scope alone. A token of the same client and user then has no `sub`, no roles and no
# name, and a request for the scope `email` is refused with 400. A realm file without `clientScopes` has them all.
# Why it matters: a service that reads `sub` or the roles refuses everybody, or takes all users for one, as soon as
# somebody adds a scope to the file. The import says nothing of it.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

mvn -B -ntp -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  -Dartifact=org.keycloak:keycloak-quarkus-dist:26.7.3:zip -DoutputDirectory=. > maven.log 2>&1 ||
  { cat maven.log; exit 1; }
jar --extract --file keycloak-quarkus-dist-26.7.3.zip
cd keycloak-26.7.3

mkdir -p data/import
for realm in plain named; do
  scopes=''
  [ $realm = plain ] || scopes='"clientScopes": [{"name": "tickets", "protocol": "openid-connect"}],'
  cat > data/import/$realm.json <<REALM
{"realm": "$realm", "enabled": true, $scopes "roles": {"realm": [{"name": "staff"}]},
 "clients": [{"clientId": "shop", "publicClient": true, "directAccessGrantsEnabled": true}],
 "users": [{"username": "visitor", "enabled": true, "email": "visitor@example.org", "emailVerified": true,
   "firstName": "A", "lastName": "Visitor", "realmRoles": ["staff"], "credentials": [{"type": "password", "value": "visitor"}]}]}
REALM
done

port=$(free_port)
JAVA_OPTS_APPEND='-XX:TieredStopAtLevel=1' bash bin/kc.sh start-dev --import-realm --http-host=127.0.0.1 \
  --http-port="$port" > keycloak.log 2>&1 &
started+=("$!")
await 2400 curl -sf -o realm "http://127.0.0.1:$port/realms/named"

cat > tokens.py <<'END_OF_PYTHON'
import base64
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

address = f"http://127.0.0.1:{sys.argv[1]}/realms"


def token(realm, scope):
    """The claims of a token, or the status of the refusal."""
    fields = {"grant_type": "password", "client_id": "shop", "username": "visitor", "password": "visitor"}
    form = urllib.parse.urlencode(fields | {"scope": scope}).encode()
    try:
        with urllib.request.urlopen(f"{address}/{realm}/protocol/openid-connect/token", form) as answer:
            claims = json.load(answer)["access_token"].split(".")[1]
    except urllib.error.HTTPError as refusal:
        return refusal.code
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))


plain = token("plain", "openid email")
named = token("named", "openid")
refused = token("named", "openid email")
claims = ["sub", "realm_access", "preferred_username", "email"]
print("without clientScopes:", sorted(plain))
print(f"with one: {sorted(named)}; `email` is answered with {refused}")
if any(claim not in plain for claim in claims):
    sys.exit("NO LONGER SO: a realm without clientScopes has Keycloak's")
if any(claim in named for claim in claims) or refused != 400:
    sys.exit("NO LONGER SO: a realm with one client scope has that one alone")
END_OF_PYTHON
python3 tokens.py "$port"
