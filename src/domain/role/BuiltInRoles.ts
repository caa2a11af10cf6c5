/** What the built-in roles are while nobody has changed them, and again once they are reset. */
import type { Permission } from "../shared/Permission.ts"

interface BuiltInRole {
  readonly name: string
  readonly colour: string
  readonly permissions: ReadonlyArray<Permission>
}

export const admin = {
  name: "Admin",
  colour: "red",
  permissions: ["ADMINISTRATOR"]
} as const satisfies BuiltInRole

export const member = {
  name: "Member",
  colour: "green",
  permissions: [
    "CREATE_POST",
    "READ_PUBLISHED_THREADS",
    "CREATE_REACTION",
    "READ_PUBLISHED_LIBRARY",
    "SUBMIT_LIBRARY_NODE",
    "UPLOAD_ASSET",
    "LIST_PROFILES",
    "READ_PROFILE",
    "CREATE_COLLECTION",
    "LIST_COLLECTIONS",
    "READ_COLLECTION",
    "COLLECTION_SUBMIT"
  ]
} as const satisfies BuiltInRole

/** The role of guests: they can be allowed less than this, and never more. */
export const guest = {
  name: "Guest",
  colour: "gray",
  permissions: [
    "READ_PUBLISHED_THREADS",
    "READ_PUBLISHED_LIBRARY",
    "LIST_PROFILES",
    "READ_PROFILE",
    "LIST_COLLECTIONS",
    "READ_COLLECTION"
  ]
} as const satisfies BuiltInRole

/** The dates of a built-in role that nobody has edited: clients know such roles by this text. */
export const neverEdited = "0001-01-01T00:00:00Z"
