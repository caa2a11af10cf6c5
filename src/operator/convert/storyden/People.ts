/** Records of people: roles, tags, accounts, and whom they follow. */
import { existing, webAddress } from "../shared/Fields.ts"
import { idFrom, unknownTime } from "../shared/Ids.ts"
import { Account, Profile, Role, Tag } from "./Shapes.ts"
import type { Kept } from "./Storyden.ts"
import { kept } from "./Things.ts"
import { instantOf, madeAt, timesOf } from "./Values.ts"

/** The built-in roles: Admin, Member and Guest. Their permissions are those of the instance. */
const builtIn = new Set(["00000000000000000020", "00000000000000000010", "0000000000000000000g"])

/** The service lists them from the highest to the lowest. */
export const roles = function* ({ scratch }: Kept) {
  let rank = Number(scratch.find("select count(*) as n from things where kind = 'roles'")?.n)
  for (const { value } of kept(scratch, "roles", Role, "place")) {
    rank -= 1
    if (builtIn.has(value.id)) {
      scratch.tell("roles", value.id, "role_built_in")
      continue
    }
    yield {
      id: value.id,
      ...timesOf(value),
      name: value.name,
      colour: value.colour ?? "",
      permissions: value.permissions ?? [],
      meta: value.meta ?? {},
      rank: rank + 1,
      built_in: false
    }
  }
}

export const tags = function* ({ readAt, scratch }: Kept) {
  for (const { value } of kept(scratch, "tags", Tag))
    yield { id: value.id, created_at: madeAt(value.id, unknownTime, readAt), name: value.name }
}

type Person = typeof Account.Type

const isKnown = ({ scratch }: Kept, kind: string, id: string) =>
  scratch.find("select 1 as found from things where kind = ? and id = ? and json <> ''", kind, id) !==
  undefined

export const referring = (found: Kept, kind: string, id: string | null | undefined): string | undefined =>
  id !== null && id !== undefined && isKnown(found, kind, id) ? id : undefined

export const tagIds = (
  { scratch }: Kept,
  names: ReadonlyArray<{ readonly name: string }> | null | undefined
) =>
  (names ?? []).flatMap(({ name }) => {
    const row = scratch.find("select id from things where kind = 'tags' and parent = ? limit 1", name)
    return row === undefined ? [] : [String(row.id)]
  })

const emailsOf = ({ email_addresses }: Person, created: string, readAt: number) =>
  (email_addresses ?? []).map(({ email_address, id, verified }) => ({
    id,
    created_at: madeAt(id, created, readAt),
    address: email_address,
    verified: verified ?? false
  }))

const linksOf = ({ links }: Person) =>
  (links ?? []).flatMap(({ text, url }) => {
    const address = webAddress(url)
    return address === undefined ? [] : [{ text, url }]
  })

/** Of the administrators, the first one is who founded it, as far as a service tells. */
const founderIn = ({ scratch }: Kept): string | undefined => {
  let first: { readonly id: string; readonly at: string } | undefined
  for (const { id, value } of kept(scratch, "accounts", Account)) {
    const { created_at: at } = timesOf(value)
    if (value.admin === true && (first === undefined || at < first.at)) first = { id, at }
  }
  return first?.id
}

const interestsOf = (found: Kept, id: string) => {
  for (const { value } of kept(found.scratch, "profiles", Profile, "id", id))
    return tagIds(found, value.interests)
  return []
}

export const avatarId = (accountId: string) => idFrom("storyden", "avatars", accountId)

export const accounts = function* (found: Kept) {
  const founder = founderIn(found)
  for (const { id, value } of kept(found.scratch, "accounts", Account)) {
    const times = timesOf(value)
    yield existing({
      id,
      ...times,
      // Who is deleted there, and still shown, may not sign in here.
      suspended_at: instantOf(value.suspended) ?? instantOf(value.deletedAt),
      kind: value.kind ?? "human",
      admin: value.admin ?? false,
      founder: id === founder,
      handle: value.handle,
      name: value.name || value.handle,
      bio: value.bio ?? "",
      signature: value.signature || undefined,
      links: linksOf(value),
      meta: value.meta ?? {},
      verified_status: value.verified_status ?? "none",
      invited_by: referring(found, "accounts", value.invited_by?.id),
      avatar_id: isKnown(found, "avatars", id) ? avatarId(id) : undefined,
      roles: (value.roles ?? [])
        .filter((role) => !builtIn.has(role.id))
        .map(({ badge, id: role }) => ({ id: role, badge: badge ?? false })),
      interests: interestsOf(found, id),
      emails: emailsOf(value, times.created_at, found.readAt)
    })
  }
}

/** A service does not tell since when: not before both accounts were there. */
export const follows = function* (found: Kept) {
  const createdOf = (id: string) => {
    for (const { value } of kept(found.scratch, "accounts", Account, "id", id))
      return timesOf(value).created_at
    return undefined
  }
  const ids = found.scratch.each(
    "select id, parent, new_id('follows', id) as new_id from things where kind = 'follows' and json <> '' order by new_id"
  )
  for (const { id, new_id, parent } of ids) {
    const followed = String(id).slice(String(parent).length + 1)
    const [first, second] = [createdOf(String(parent)), createdOf(followed)]
    if (first === undefined || second === undefined) continue
    yield {
      id: new_id,
      created_at: first > second ? first : second,
      follower_id: parent,
      followed_id: followed
    }
  }
}
