/** The built-in roles as they are while nobody has changed them, and another one. */
import { admin, guest, member, neverEdited } from "./BuiltInRoles.ts"

const held = { badge: false, default: true } as const

const unchanged = { createdAt: neverEdited, updatedAt: neverEdited, misc: {}, ...held } as const

export const adminRole = { ...unchanged, id: "00000000000000000020", ...admin } as const

export const memberRole = { ...unchanged, id: "00000000000000000010", ...member } as const

export const guestRole = { ...unchanged, id: "0000000000000000000g", ...guest } as const

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
  ...held
}
