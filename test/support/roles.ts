/** The roles that every instance has, as they are shown while nobody has edited them. */
export const admin = {
  id: "00000000000000000020",
  name: "Admin",
  colour: "red",
  permissions: ["ADMINISTRATOR"]
}

export const member = {
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
}

export const guestRole = {
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
}

const never = "0001-01-01T00:00:00Z"

/** A built-in role as it is listed while nobody has edited it. */
export const unedited = (role: typeof member) => ({
  ...role,
  createdAt: never,
  updatedAt: never,
  misc: {},
  badge: false,
  default: true
})

/** The same as an account holds it. */
export const held = unedited
