/** The built-in roles as they are while nobody has changed them, and another one. */
const never = "1970-01-01T00:00:00.000Z"

const held = { badge: false, default: true } as const

const unchanged = { createdAt: never, updatedAt: never, misc: {}, meta: {}, ...held } as const

export const adminRole = {
  ...unchanged,
  id: "00000000000000000020",
  name: "Admin",
  colour: "red",
  permissions: ["ADMINISTRATOR"]
} as const

export const memberRole = {
  ...unchanged,
  id: "00000000000000000010",
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
} as const

export const guestRole = {
  ...unchanged,
  id: "0000000000000000000g",
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
} as const

const created = "2026-11-21T14:13:08.960Z"

/** A role that an administrator made. */
export const editorRole = {
  id: "dc0qdt7khh6uivg0002g",
  createdAt: created,
  updatedAt: created,
  misc: {},
  name: "Editor",
  colour: "#4682b4",
  permissions: ["MANAGE_POSTS", "MANAGE_CATEGORIES"],
  meta: { icon: "pencil" },
  badge: false,
  default: false
} as const

/** The role of every account, as it is shown beside a name. */
export const heldMemberRef = {
  id: memberRole.id,
  name: memberRole.name,
  colour: memberRole.colour,
  meta: {},
  ...held
}
