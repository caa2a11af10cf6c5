/** What moderators and administrators did, as administrators read it (specification 2.14). */
import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { onePage, withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import {
  AccountId,
  AuditEventId,
  EmailAddressId,
  InitialAccessTokenId,
  ModerationNoteId,
  NodeId,
  OAuthClientId,
  PluginId,
  PostId,
  RemoteConnectionId,
  WarningId,
  WebhookId
} from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { PurgedContent } from "../vocabulary/Kinds.ts"
import { auditEvent } from "./ModerationExamples.ts"

export const AuditEventType = Schema.Literals([
  "thread_deleted",
  "thread_reply_deleted",
  "account_suspended",
  "account_unsuspended",
  "account_content_purged",
  "account_erasure_requested",
  "account_erasure_cancelled",
  "account_erased",
  "account_export_requested",
  "moderation_note_created",
  "moderation_note_deleted",
  "account_warned",
  "account_warning_updated",
  "account_warning_deleted",
  "account_password_reset_token_issued",
  "account_password_reset_email_sent",
  "node_property_fields_deleted",
  "oauth_remote_connection_created",
  "oauth_remote_connection_connected",
  "oauth_remote_connection_deleted",
  "oauth_client_created",
  "oauth_client_updated",
  "oauth_client_deleted",
  "oauth_token_reused",
  "oauth_token_revoked",
  "oauth_initial_access_token_created",
  "oauth_initial_access_token_revoked",
  "plugin_added",
  "plugin_removed",
  "plugin_updated",
  "plugin_activated",
  "plugin_deactivated",
  "plugin_token_cycled",
  "plugin_configured",
  "webhook_created",
  "webhook_updated",
  "webhook_deleted",
  "webhook_secret_replaced",
  "webhook_disabled",
  "internal_error"
]).annotate({ identifier: "AuditEventType", description: "What was done, or happened" })
export type AuditEventType = typeof AuditEventType.Type

/** What every entry has. */
export const auditFields = {
  id: AuditEventId,
  timestamp: Timestamp.annotateKey({ description: "When it was done" }),
  enacted_by: Schema.optionalKey(ProfileReference).annotateKey({
    description: "Who did it; absent if the service did, or if the account is gone"
  })
}

/** An entry of a type, with what it says beside what all of them do. */
const entry = <Type extends AuditEventType, Fields extends Schema.Struct.Fields>(
  type: Type,
  name: string,
  description: string,
  subject: Fields
) =>
  Schema.Struct({ ...auditFields, type: Schema.Literal(type), ...subject }).annotate({
    identifier: `AuditEvent${name}`,
    description
  })

const account = { account_id: AccountId }
const note = { ...account, note_id: ModerationNoteId }
const warning = { ...account, warning_id: WarningId }

const keepPosts = Schema.Boolean.annotate({
  description: "Whether what others could read of it stays, as of nobody"
})

const connection = {
  oauth_remote_connection_id: RemoteConnectionId,
  resource_url: Schema.String.annotate({ description: "The address of the resource" })
}

const plugin = {
  plugin_instance_id: PluginId.annotate({ description: "The plugin, which may be deleted by now" }),
  name: Schema.String.annotate({ description: "What the plugin is called, or was when it was deleted" })
}

const webhook = {
  webhook_id: WebhookId.annotate({ description: "The webhook, which may be deleted by now" }),
  host: Schema.String.annotate({ description: "The host of its address then, with a port if it has one" })
}

const client = {
  oauth_client_id: OAuthClientId,
  client_id: Schema.String.annotate({ description: "The id by which programs name the client" }),
  name: Schema.String.annotate({ description: "What the client was called then" })
}

const granted = {
  oauth_client_id: OAuthClientId,
  client_id: client.client_id,
  account_id: AccountId.annotate({ description: "The account that the client acted for" })
}
const initialToken = { initial_access_token_id: InitialAccessTokenId }

const failure = {
  where: Schema.String.annotate({ description: "The part of the service in which it happened" }),
  message: Schema.String.annotate({
    description: "What failed, as one line, without what may be secret or personal"
  }),
  trace_id: Schema.String.annotate({
    description: "That of the line in the log that tells more, for the first time it happened"
  }),
  occurrences: Schema.Int.annotate({ description: "How often it happened in the hour of the entry" }),
  last_at: Timestamp.annotateKey({ description: "When it happened last in that hour" })
}

export const AuditEvent = Schema.Union([
  entry("thread_deleted", "ThreadDeleted", "A thread was deleted", { thread_id: PostId }),
  entry("thread_reply_deleted", "ThreadReplyDeleted", "A reply was deleted", { reply_id: PostId }),
  entry("account_suspended", "AccountSuspended", "An account was suspended", account),
  entry("account_unsuspended", "AccountUnsuspended", "An account was reinstated", account),
  entry("account_content_purged", "AccountContentPurged", "What an account had written was removed", {
    ...account,
    included: Schema.Array(PurgedContent)
  }),
  entry("account_erasure_requested", "AccountErasureRequested", "An account is to be erased", {
    ...account,
    erased_at: Timestamp.annotateKey({ description: "Until when that can be taken back" }),
    keep_posts: keepPosts
  }),
  entry("account_erasure_cancelled", "AccountErasureCancelled", "An account is kept after all", account),
  entry("account_erased", "AccountErased", "An account was erased; nothing says which one", {
    keep_posts: keepPosts
  }),
  entry("account_export_requested", "AccountExportRequested", "An account asked for its own data", account),
  entry("moderation_note_created", "ModerationNoteCreated", "A note on an account was written", note),
  entry("moderation_note_deleted", "ModerationNoteDeleted", "A note on an account was deleted", note),
  entry("account_warned", "AccountWarned", "An account was warned", warning),
  entry("account_warning_updated", "AccountWarningUpdated", "The reason of a warning was changed", {
    ...warning,
    previous_reason: Schema.String,
    reason: Schema.String
  }),
  entry("account_warning_deleted", "AccountWarningDeleted", "A warning was deleted", warning),
  entry(
    "account_password_reset_token_issued",
    "AccountPasswordResetTokenIssued",
    "Staff were given a token that sets an account's password",
    account
  ),
  entry(
    "account_password_reset_email_sent",
    "AccountPasswordResetEmailSent",
    "Staff had a token that sets an account's password mailed to it",
    { ...account, email_address_id: EmailAddressId }
  ),
  entry(
    "node_property_fields_deleted",
    "NodePropertyFieldsDeleted",
    "Fields of properties were deleted for which pages of the library had values",
    {
      node_id: NodeId.annotate({
        description: "The page whose children shared the fields, or the one at the top level that had them"
      }),
      names: Schema.Array(Schema.String).annotate({ description: "What the fields were called" }),
      values: Schema.Int.annotate({ description: "How many values were deleted with them" })
    }
  ),
  entry(
    "oauth_remote_connection_created",
    "OAuthRemoteConnectionCreated",
    "A connection to a remote resource was made",
    {
      ...connection,
      mode: Schema.String.annotate({ description: "How its server comes to know this service" })
    }
  ),
  entry(
    "oauth_remote_connection_connected",
    "OAuthRemoteConnectionConnected",
    "A connection to a remote resource got a token",
    connection
  ),
  entry(
    "oauth_remote_connection_deleted",
    "OAuthRemoteConnectionDeleted",
    "A connection to a remote resource was deleted",
    connection
  ),
  entry("oauth_client_created", "OAuthClientCreated", "A client of OAuth was created", {
    ...client,
    account_id: AccountId.annotate({ description: "The account that the client belongs to" })
  }),
  entry("oauth_client_updated", "OAuthClientUpdated", "A client of OAuth was changed", {
    ...client,
    changed: Schema.Array(Schema.String).annotate({ description: "Which of its fields were changed" })
  }),
  entry("oauth_client_deleted", "OAuthClientDeleted", "A client of OAuth was deleted", client),
  entry(
    "oauth_token_reused",
    "OAuthTokenReused",
    "A refresh token was used twice, so that all that was granted with it has ended: somebody may have stolen it",
    granted
  ),
  entry(
    "oauth_token_revoked",
    "OAuthTokenRevoked",
    "What an account had granted a client was revoked",
    granted
  ),
  entry(
    "oauth_initial_access_token_created",
    "InitialAccessTokenCreated",
    "A token was created with which programs register clients",
    {
      ...initialToken,
      expires_at: Timestamp.annotateKey({ description: "From when on the token does not work" }),
      max_registrations: Schema.Int.annotate({ description: "How many clients can be registered with it" })
    }
  ),
  entry(
    "oauth_initial_access_token_revoked",
    "InitialAccessTokenRevoked",
    "A token was revoked with which programs register clients",
    initialToken
  ),
  entry("plugin_added", "PluginAdded", "A plugin was added", {
    ...plugin,
    mode: Schema.String.annotate({
      description: "Whether the service runs it, or it connects from elsewhere"
    })
  }),
  entry("plugin_removed", "PluginRemoved", "A plugin was deleted", plugin),
  entry("plugin_updated", "PluginUpdated", "A plugin got another manifest or package", {
    ...plugin,
    changed: Schema.String.annotate({ description: "`manifest` or `package`" })
  }),
  entry("plugin_activated", "PluginActivated", "A plugin was activated", plugin),
  entry("plugin_deactivated", "PluginDeactivated", "A plugin was deactivated", plugin),
  entry("plugin_token_cycled", "PluginTokenCycled", "The token of a plugin was replaced", plugin),
  entry("plugin_configured", "PluginConfigured", "Values were chosen for a plugin", plugin),
  entry("webhook_created", "WebhookCreated", "A webhook was created", webhook),
  entry("webhook_updated", "WebhookUpdated", "A webhook was changed", {
    ...webhook,
    changed: Schema.Array(Schema.String).annotate({ description: "Which of its fields were changed" })
  }),
  entry("webhook_deleted", "WebhookDeleted", "A webhook was deleted", webhook),
  entry("webhook_secret_replaced", "WebhookSecretReplaced", "A webhook got a new secret", webhook),
  entry("webhook_disabled", "WebhookDisabled", "The service disabled a webhook", {
    ...webhook,
    account_id: AccountId.annotate({ description: "The account that created it" }),
    reason: Schema.String.annotate({
      description: "`gone`, `failing` or `overflow`, as in the `disabled_reason` of the webhook"
    })
  }),
  entry(
    "internal_error",
    "InternalError",
    "Something failed inside the service that no answer to a request told of; one entry for each cause and hour",
    failure
  )
])
  .annotate({ identifier: "AuditEvent", description: "An entry of the audit log" })
  .pipe(withExample(auditEvent))
export type AuditEvent = typeof AuditEvent.Type

export const AuditEventListResult = Schema.Struct({ ...PageFields, events: Schema.Array(AuditEvent) })
  .annotate({ identifier: "AuditEventListResult", description: "A page of the audit log, newest first" })
  .pipe(withExample({ ...onePage, events: [auditEvent] }))
export interface AuditEventListResult extends Schema.Schema.Type<typeof AuditEventListResult> {}

export class AuditEventNotFound extends Problem<AuditEventNotFound>()("AuditEventNotFound", {
  status: 404,
  title: "There is no such entry in the audit log",
  explanation: "No entry of the audit log has this id.",
  metadata: { audit_event_id: Schema.String }
}) {}
