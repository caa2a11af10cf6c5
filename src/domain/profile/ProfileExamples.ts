import { odin, ownAccount } from "../account/AccountExamples.ts"
import { memberRole } from "../role/RoleExamples.ts"

/** An account as everyone sees it. */
export const publicProfile = {
  id: odin.id,
  createdAt: ownAccount.createdAt,
  updatedAt: ownAccount.updatedAt,
  misc: {},
  joined: odin.joined,
  handle: odin.handle,
  name: odin.name,
  roles: [memberRole],
  bio: ownAccount.bio,
  followers: 0,
  following: 1,
  like_score: 0,
  interests: [],
  links: ownAccount.links,
  meta: {}
} as const
