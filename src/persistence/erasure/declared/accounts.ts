/** What accounts are, how they sign in, what programs do in their name, and what is kept on them. */
import { type Fates, of } from "../Fate.ts"

export const ofAccounts = {
  access_keys: { row: of("account_id"), withRow: of("token_hash name"), id: of("id") },
  account_counts: { row: of("account_id") },
  account_emails: { row: of("account_id"), withRow: of("address"), id: of("id") },
  account_interests: { row: of("account_id"), id: of("tag_id") },
  account_roles: { row: of("account_id"), id: of("role_id") },
  account_warnings: { row: of("account_id"), none: of("issuer_id"), withRow: of("reason"), id: of("id") },
  account_writes: { row: of("account_id") },
  accounts: {
    // The last of all, once nothing else names it.
    special: of("id"),
    none: of("invited_by"),
    withRow: of("handle name signature links meta handle_key name_form handle_form search_text"),
    content: of("bio"),
    id: of("avatar_id invitation_id"),
    word: of("kind verified_status services_elsewhere")
  },
  asked_configurations: {
    row: of("asked_by"),
    id: of("plugin_id id taken_by"),
    instance: of("configuration answer")
  },
  calendar_addresses: { row: of("account_id"), withRow: of("key_hash") },
  code_key: { secret: of("key") },
  code_sign_ins: { row: of("account_id") },
  email_codes: { withRow: of("nonce asked_by guesses"), id: of("email_id") },
  erasures: { special: of("account_id") },
  follows: { row: of("follower_id followed_id"), id: of("id") },
  founder: { nobody: of("account_id") },
  idempotency_counts: { row: of("account_id") },
  idempotency_keys: {
    row: of("account_id"),
    withRow: of("key fingerprint claim content_type etag"),
    // In what others were answered, the account may be named.
    special: of("body location"),
    id: of("made_id")
  },
  identities_elsewhere: {
    row: of("account_id"),
    withRow: of("issuer subject name"),
    id: of("id"),
    word: of("service")
  },
  invitations: { row: of("creator_id"), withRow: of("message"), id: of("id") },
  moderation_notes: { row: of("account_id"), none: of("author_id"), withRow: of("content"), id: of("id") },
  notification_receivers: { row: of("account_id") },
  notifications: {
    // Of what is about a profile, the item is an account.
    row: of("account_id item_id"),
    none: of("source_id"),
    id: of("id reply_id"),
    word: of("event status item_kind")
  },
  own_data_exports: { row: of("account_id"), withRow: of("session_hash"), id: of("key"), word: of("store") },
  passkeys: {
    row: of("account_id"),
    withRow: of("credential_id public_key name user_handle"),
    id: of("id"),
    word: of("transports")
  },
  password_attempts: { row: of("account_id"), withRow: of("source") },
  password_resets: { row: of("account_id"), withRow: of("token_hash asked_by"), id: of("email_id") },
  passwords: { row: of("account_id"), withRow: of("hash") },
  phone_codes: { withRow: of("nonce asked_by guesses"), id: of("phone_id") },
  phone_numbers: {
    row: of("account_id"),
    withRow: of("phone_number"),
    // Of sign-ups that have not become accounts.
    passing: of("handle handle_key invitation_id network"),
    id: of("id")
  },
  purges: { row: of("account_id"), none: of("enacted_by"), word: of("content") },
  remote_authorizations: {
    row: of("account_id"),
    withRow: of("state_hash verifier"),
    id: of("connection_id")
  },
  remote_connections: {
    row: of("account_id"),
    withRow: of(
      "resource_url authorization_server last_error resource resource_name client_id authorization_endpoint token_endpoint registration_endpoint redirect_uri redirect_uris scope issuer client_secret access_token refresh_token token_type"
    ),
    id: of("id lease_holder"),
    word: of("mode status token_endpoint_auth_method")
  },
  retired_handles: { passing: of("key_hash") },
  retired_handles_key: { secret: of("key") },
  seal_key: { secret: of("key") },
  sealed_states_used: { passing: of("proof") },
  sessions: { row: of("account_id"), withRow: of("token_hash") }
} as const satisfies Fates
