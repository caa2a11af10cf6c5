import { heldMemberRef, memberRole } from "../role/RoleExamples.ts"

const joined = "2026-11-21T14:13:08.211Z"

const identity = { id: "dc0qdt7khh6uivg0000g", joined, handle: "odin", name: "Odin" } as const

/** An account beside what it wrote. */
export const odin = { ...identity, roles: [heldMemberRef] } as const

export const freya = {
  id: "dc0qdtfkhh6uivg0003g",
  joined: "2026-11-21T14:13:09.106Z",
  handle: "freya",
  name: "freya",
  roles: [heldMemberRef]
} as const

/** What `odin` changed of the account. */
export const profileChanges = {
  name: "Odin",
  bio: "<p>I gave an eye for a drink.</p>",
  links: [{ text: "My site", url: "https://odin.example/" }]
} as const

/** The account as its owner sees it. */
export const ownAccount = {
  ...identity,
  createdAt: joined,
  updatedAt: "2026-11-21T14:13:08.402Z",
  misc: {},
  roles: [memberRole],
  bio: "<body><p>I gave an eye for a drink.</p></body>",
  links: profileChanges.links,
  meta: {},
  verified_status: "none",
  kind: "human",
  email_addresses: [],
  auth_services: ["password"],
  notifications: 1,
  admin: false
} as const

const { notifications: _, ...withoutNotifications } = ownAccount

/** The account as the list of staff shows it. */
export const listedAccount = withoutNotifications

/** What staff make an account of. */
export const provisioned = {
  handle: "freya",
  name: "Freya",
  email_address: "freya@forum.example",
  links: profileChanges.links,
  verified_status: "manual"
} as const

/** What staff change of an account. */
export const managedChanges = {
  name: "Odin",
  links: profileChanges.links,
  verified_status: "manual"
} as const
