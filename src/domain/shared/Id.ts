/** Identifiers: 20 lower-case base32hex characters that sort by creation time (the form of xid). */
import { Schema } from "effect"

/** What every resource's id looks like; each resource brands it with its own name. */
export const Id = Schema.String.check(
  Schema.isPattern(/^[0-9a-v]{20}$/u, { expected: "an identifier: 20 characters of 0-9 and a-v" })
).annotate({ format: "xid" })

export const AccountId = Id.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type
export const RoleId = Id.pipe(Schema.brand("RoleId"))
export type RoleId = typeof RoleId.Type
export const AccessKeyId = Id.pipe(Schema.brand("AccessKeyId"))
export type AccessKeyId = typeof AccessKeyId.Type
export const CategoryId = Id.pipe(Schema.brand("CategoryId"))
export type CategoryId = typeof CategoryId.Type
export const TagId = Id.pipe(Schema.brand("TagId"))
export type TagId = typeof TagId.Type
export const LinkId = Id.pipe(Schema.brand("LinkId"))
export type LinkId = typeof LinkId.Type
/** A post's id; the post that opens a thread has the thread's. */
export const PostId = Id.pipe(Schema.brand("PostId"))
export type PostId = typeof PostId.Type
export const NotificationId = Id.pipe(Schema.brand("NotificationId"))
export type NotificationId = typeof NotificationId.Type
/** A mail in the queue. */
export const EmailId = Id.pipe(Schema.brand("EmailId"))
export type EmailId = typeof EmailId.Type
export const AssetId = Id.pipe(Schema.brand("AssetId"))
export type AssetId = typeof AssetId.Type
export const CollectionId = Id.pipe(Schema.brand("CollectionId"))
export type CollectionId = typeof CollectionId.Type
export const CalendarEventId = Id.pipe(Schema.brand("CalendarEventId"))
export type CalendarEventId = typeof CalendarEventId.Type
/** The id of a node of the library. */
export const NodeId = Id.pipe(Schema.brand("NodeId"))
export type NodeId = typeof NodeId.Type
export const NodeVersionId = Id.pipe(Schema.brand("NodeVersionId"))
export type NodeVersionId = typeof NodeVersionId.Type
/** A column of the properties that sibling nodes share. */
export const PropertyFieldId = Id.pipe(Schema.brand("PropertyFieldId"))
export type PropertyFieldId = typeof PropertyFieldId.Type
export const InvitationId = Id.pipe(Schema.brand("InvitationId"))
export type InvitationId = typeof InvitationId.Type
export const ModerationNoteId = Id.pipe(Schema.brand("ModerationNoteId"))
export type ModerationNoteId = typeof ModerationNoteId.Type
export const WarningId = Id.pipe(Schema.brand("WarningId"))
export type WarningId = typeof WarningId.Type
export const EmailAddressId = Id.pipe(Schema.brand("EmailAddressId"))
export type EmailAddressId = typeof EmailAddressId.Type
export const OAuthClientId = Id.pipe(Schema.brand("OAuthClientId"))
export type OAuthClientId = typeof OAuthClientId.Type
/** A device that asks for tokens. */
export const OAuthDeviceId = Id.pipe(Schema.brand("OAuthDeviceId"))
export type OAuthDeviceId = typeof OAuthDeviceId.Type
/** What an account has granted a client. */
export const OAuthGrantId = Id.pipe(Schema.brand("OAuthGrantId"))
export type OAuthGrantId = typeof OAuthGrantId.Type
/** What somebody is asked to grant a client. */
export const OAuthAuthorisationId = Id.pipe(Schema.brand("OAuthAuthorisationId"))
export type OAuthAuthorisationId = typeof OAuthAuthorisationId.Type
/** Tokens that were issued together; people see it as the id of the refresh token. */
export const OAuthTokenId = Id.pipe(Schema.brand("OAuthTokenId"))
export type OAuthTokenId = typeof OAuthTokenId.Type
export const PhoneNumberId = Id.pipe(Schema.brand("PhoneNumberId"))
export type PhoneNumberId = typeof PhoneNumberId.Type
export const TextMessageId = Id.pipe(Schema.brand("TextMessageId"))
export type TextMessageId = typeof TextMessageId.Type
export const InitialAccessTokenId = Id.pipe(Schema.brand("InitialAccessTokenId"))
export type InitialAccessTokenId = typeof InitialAccessTokenId.Type
export const PasskeyId = Id.pipe(Schema.brand("PasskeyId"))
export type PasskeyId = typeof PasskeyId.Type
export const IdentityId = Id.pipe(Schema.brand("IdentityId"))
export type IdentityId = typeof IdentityId.Type
export const AuditEventId = Id.pipe(Schema.brand("AuditEventId"))
export type AuditEventId = typeof AuditEventId.Type
export const ReportId = Id.pipe(Schema.brand("ReportId"))
export type ReportId = typeof ReportId.Type
export const RemoteConnectionId = Id.pipe(Schema.brand("RemoteConnectionId"))
export type RemoteConnectionId = typeof RemoteConnectionId.Type
/** An installation of a plugin. */
export const PluginId = Id.pipe(Schema.brand("PluginId"))
export type PluginId = typeof PluginId.Type
export const WebhookId = Id.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type
/** A change that a webhook is told of, or a test of it. */
export const WebhookDeliveryId = Id.pipe(Schema.brand("WebhookDeliveryId"))
export type WebhookDeliveryId = typeof WebhookDeliveryId.Type
