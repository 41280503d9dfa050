/** Issues access tokens to clients that have a secret (OAuth 2, client credentials). */
@NullMarked
package testbed.token;

import org.jspecify.annotations.NullMarked;
