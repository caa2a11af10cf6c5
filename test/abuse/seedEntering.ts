/** Ways to sign in: each member who has a session has an email address, a code that was sent to it, and passkeys. */
import { at, series, sessions, sqlId } from "./seed.ts"

/** As many as an account may have. */
const passkeys = 20

/** The handle of a member, and the address. */
export const handleOf = (n: number) => `anna-${n % sessions}`
export const addressOf = (n: number) => `${handleOf(n)}@example.com`

export const enteringSeed = [
  `insert into account_emails (id, account_id, created_at, address)
    select ${sqlId("email", "n")}, ${sqlId("account", "n")}, ${at("n")}, 'anna-' || n || '@example.com' ${series(sessions)}`,
  `insert into code_sign_ins (account_id, created_at) select ${sqlId("account", "n")}, ${at("n")} ${series(sessions)}`,
  `insert into email_codes (email_id, nonce, expires_at)
    select ${sqlId("email", "n")}, decode(md5(n::text), 'hex'), now() + interval '1 hour' ${series(sessions)}`,
  `insert into passkeys (id, account_id, created_at, credential_id, public_key, user_handle, signatures, transports,
      name)
    select ${sqlId("passkey", "n")}, ${sqlId("account", `n / ${passkeys}`)}, ${at("n")}, 'key-' || n, '\\x01',
      md5((n / ${passkeys})::text), 0, array['internal'], 'Passkey' ${series(sessions * passkeys)}`,
  // So that a network can use all that it may within an attack.
  `update settings set value = '{"cost_overrides": {"GetInfo": 500}}' where part = 'rate_limiting'`
]
