/** What happens to clients of OAuth, for the event log. Entries of the audit log name clients that may be gone. */
import { Schema } from "effect"
import { Timestamp } from "../field/Resource.ts"
import { AccountId, InitialAccessTokenId, OAuthClientId } from "../shared/Id.ts"

const client = { id: OAuthClientId, client_id: Schema.String, name: Schema.String }

export const OAuthClientCreated = Schema.TaggedStruct("OAuthClientCreated", {
  ...client,
  /** The account that it belongs to. */
  account_id: AccountId
})
export type OAuthClientCreated = typeof OAuthClientCreated.Type

export const OAuthClientUpdated = Schema.TaggedStruct("OAuthClientUpdated", {
  ...client,
  /** What of it was changed, by the names of its fields. */
  changed: Schema.Array(Schema.String)
})
export type OAuthClientUpdated = typeof OAuthClientUpdated.Type

export const OAuthClientDeleted = Schema.TaggedStruct("OAuthClientDeleted", client)
export type OAuthClientDeleted = typeof OAuthClientDeleted.Type

/** A refresh token was presented again after it was replaced, so that all that was granted with it has ended. */
export const OAuthTokenReused = Schema.TaggedStruct("OAuthTokenReused", {
  id: OAuthClientId,
  client_id: Schema.String,
  /** The account that the client acted for. */
  account_id: AccountId
})
export type OAuthTokenReused = typeof OAuthTokenReused.Type

/** Somebody other than the account has revoked what it had granted a client. */
export const OAuthTokenRevoked = Schema.TaggedStruct("OAuthTokenRevoked", {
  id: OAuthClientId,
  client_id: Schema.String,
  account_id: AccountId
})
export type OAuthTokenRevoked = typeof OAuthTokenRevoked.Type

/** An administrator made a token with which programs register clients. */
export const InitialAccessTokenCreated = Schema.TaggedStruct("InitialAccessTokenCreated", {
  id: InitialAccessTokenId,
  expires_at: Timestamp,
  max_registrations: Schema.Int
})
export type InitialAccessTokenCreated = typeof InitialAccessTokenCreated.Type

export const InitialAccessTokenRevoked = Schema.TaggedStruct("InitialAccessTokenRevoked", {
  id: InitialAccessTokenId
})
export type InitialAccessTokenRevoked = typeof InitialAccessTokenRevoked.Type

/** A program registered itself as a client. */
export const OAuthClientRegistered = Schema.TaggedStruct("OAuthClientRegistered", {
  ...client,
  /** The token that let it register, where one did. */
  initial_access_token_id: Schema.optionalKey(InitialAccessTokenId)
})
export type OAuthClientRegistered = typeof OAuthClientRegistered.Type

/** A client changed what it says of itself. */
export const OAuthClientRegistrationChanged = Schema.TaggedStruct("OAuthClientRegistrationChanged", client)
export type OAuthClientRegistrationChanged = typeof OAuthClientRegistrationChanged.Type

/** A client deleted itself. */
export const OAuthClientUnregistered = Schema.TaggedStruct("OAuthClientUnregistered", client)
export type OAuthClientUnregistered = typeof OAuthClientUnregistered.Type
