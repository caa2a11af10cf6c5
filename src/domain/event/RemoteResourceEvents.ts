/** What happens to connections to remote resources, for the event log. Entries of the audit log name those that may be gone. */
import { Schema } from "effect"
import { RemoteConnectionId } from "../shared/Id.ts"

const connection = { id: RemoteConnectionId, resource_url: Schema.String }

export const RemoteConnectionCreated = Schema.TaggedStruct("RemoteConnectionCreated", {
  ...connection,
  /** How its server comes to know this service. */
  mode: Schema.String
})
export type RemoteConnectionCreated = typeof RemoteConnectionCreated.Type

export const RemoteConnectionConnected = Schema.TaggedStruct("RemoteConnectionConnected", connection)
export type RemoteConnectionConnected = typeof RemoteConnectionConnected.Type

export const RemoteConnectionDeleted = Schema.TaggedStruct("RemoteConnectionDeleted", connection)
export type RemoteConnectionDeleted = typeof RemoteConnectionDeleted.Type
