/** What the service keeps to run: its logs, queues and settings, and programs that use it. */
import { type Fates, of } from "../Fate.ts"

export const ofOperation = {
  audit_events: { none: of("enacted_by"), special: of("subject"), id: of("id"), word: of("type") },
  audit_totals: { word: of("type") },
  audited_events: { word: of("tag type fields") },
  backups_made: { instance: of("file") },
  email_attempts: { replaced: of("error"), id: of("email_id"), word: of("status") },
  // By the addresses of the account.
  email_queue: {
    special: of("recipient_address"),
    withRow: of("recipient_name subject text_body html_body"),
    id: of("id"),
    word: of("status")
  },
  email_recipients: { special: of("address"), withRow: of("clients") },
  email_totals: { word: of("status") },
  event_consumers: { replaced: of("error"), word: of("name") },
  event_log: { special: of("actor_id event"), word: of("tag") },
  initial_access_tokens: { row: of("created_by"), withRow: of("token_hash name"), id: of("id") },
  instance_images: { instance: of("kind upload_id store lengths") },
  internal_errors: { program: of("cause"), id: of("audit_event_id") },
  migrations: { word: of("name") },
  oauth_authorisations: {
    row: of("account_id"),
    withRow: of(
      "request_hash client_id redirect_uri scope state nonce code_challenge code_hash granted_scope grant_id"
    ),
    id: of("id")
  },
  oauth_clients: {
    row: of("account_id"),
    program: of("client_id name redirect_uris allowed_scopes secret_hash"),
    id: of("id"),
    word: of("origin type scope_policy allowed_grants")
  },
  oauth_device_guesses: { special: of("name") },
  oauth_devices: {
    row: of("claimed_by"),
    passing: of("device_hash user_code scope network"),
    id: of("id client_id")
  },
  oauth_documents: { id: of("id") },
  oauth_grants: { row: of("account_id"), id: of("id client_id"), word: of("kind") },
  oauth_registration_counts: { network: of("network") },
  oauth_registrations: {
    program: of("token_hash details"),
    id: of("id"),
    word: of("let_by token_endpoint_auth_method")
  },
  oauth_tokens: { withRow: of("access_id scope refresh_hash replaced_by"), id: of("id grant_id") },
  parked_events: { replaced: of("error"), word: of("consumer") },
  plugins: {
    none: of("account_id"),
    program: of(
      "manifest manifest_least manifest_more state_message state_details token token_hash package_key package_hash entry_hash lease_holder"
    ),
    instance: of("configuration"),
    id: of("id role_id"),
    word: of("mode state package_store")
  },
  roles: { instance: of("name colour permissions meta"), id: of("id") },
  settings: { instance: of("part value") },
  signing_keys: { secret: of("kid modulus exponent private_key") },
  // By the number of the account.
  text_message_counts: { special: of("name") },
  text_messages: { special: of("phone_number"), withRow: of("body"), id: of("id") },
  theme: { none: of("set_by"), instance: of("name") },
  theme_files: { instance: of("list integrity"), id: of("asset_id") },
  webhook_attempts: { replaced: of("answer error"), id: of("delivery_id") },
  webhook_deliveries: { id: of("id webhook_id message_id"), word: of("type status") },
  webhook_places: { id: of("webhook_id") },
  webhook_replays: { id: of("webhook_id") },
  webhook_secrets: { withRow: of("secret"), id: of("webhook_id") },
  webhook_totals: { id: of("webhook_id"), word: of("status") },
  webhooks: {
    row: of("account_id"),
    withRow: of("url name"),
    id: of("id"),
    word: of("events disabled_reason")
  }
} as const satisfies Fates
