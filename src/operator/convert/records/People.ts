/** Records of people: their accounts and roles. */
import { cutTo, existing, someText, textOf, timesOf, webAddress } from "../shared/Fields.ts"
import { timeOf } from "../shared/Ids.ts"
import type { Row, Scratch } from "../shared/Scratch.ts"
import type { Texts } from "../shared/Texts.ts"

const moderators = "moderators"

/** What moderators of other programs may do, as far as there is the same here. */
const moderating = [
  "MANAGE_POSTS",
  "MANAGE_REPORTS",
  "MANAGE_WARNINGS",
  "MANAGE_SUSPENSIONS",
  "VIEW_ACCOUNTS",
  "VIEW_MODERATION_NOTES",
  "MANAGE_MODERATION_NOTES"
]

const shownGroups = "from groups where automatic is not 't' and coalesce(visibility_level, 0) = 0"

export const roles = function* (scratch: Scratch) {
  const made = scratch.find("select min(created_at) as created_at from users")
  const times = timesOf({ created_at: made?.created_at })
  const role = { colour: "", meta: {}, built_in: false }
  yield {
    id: scratch.find(`select new_id('roles', '${moderators}') as id`)?.id,
    ...times,
    ...role,
    name: "Moderator",
    permissions: moderating,
    rank: 2
  }
  let rank = 2
  for (const row of scratch.each(
    `select new_id('groups', id) as id, name, full_name, created_at, updated_at ${shownGroups} order by 1`
  )) {
    rank += 1
    const name = cutTo(someText(row.full_name) ?? textOf(row.name), 100)
    yield { id: row.id, ...timesOf(row), ...role, name, permissions: [], rank }
  }
}

const rolesOf = (scratch: Scratch, { moderator, old }: Row) => [
  ...(moderator === "t"
    ? [{ id: scratch.find(`select new_id('roles', '${moderators}') as id`)?.id, badge: true }]
    : []),
  ...scratch
    .all(
      `select distinct new_id('groups', group_id) as id from group_users
        where user_id = ? and group_id in (select id ${shownGroups}) order by 1`,
      Number(old)
    )
    .map(({ id }) => ({ id, badge: false }))
]

/** None of a person without one. */
const signatureOf = (texts: Texts, { old, signature }: Row) =>
  someText(signature) === undefined ? undefined : texts.htmlOf(signature, "users", old)

const emailsOf = (scratch: Scratch, row: Row) => {
  const found = scratch.all(
    "select new_id('user_emails', id) as id, email, created_at from user_emails where user_id = ? and id in (select id from owned_emails) order by user_emails.id",
    Number(row.old)
  )
  const old = someText(row.email)
  const all =
    found.length > 0 || old === undefined
      ? found
      : [
          {
            id: scratch.find("select new_id('users.email', ?) as id", Number(row.old))?.id,
            email: old,
            created_at: row.created_at
          }
        ]
  return all.flatMap(({ created_at, email, id }) => {
    const address = textOf(email)
    if (address.length < 3 || address.length > 254) return []
    return [{ id, created_at: timesOf({ created_at }).created_at, address, verified: row.active === "t" }]
  })
}

/** From when on an account is suspended; none if that had ended when the last post was written. */
const suspendedAt = (row: Row, lastPost: string) => {
  const from = timeOf(row.suspended_at) ?? timesOf(row).updated_at
  if (row.suspended_till === "infinity") return from
  const till = timeOf(row.suspended_till)
  return till !== undefined && till > lastPost ? from : undefined
}

/** When the last post was written. What is to be published later has a time to come. */
const lastPostOf = (scratch: Scratch) =>
  timeOf(
    scratch.find(
      "select max(p.created_at) as at from posts p left join topics t on t.id = p.topic_id where t.visible is not 'draft'"
    )?.at
  ) ?? ""

const people = `select u.*, new_id('users', u.id) as new_id, u.id as old, h.handle, p.bio_raw, p.website, p.location,
    new_id('uploads', f.id) as avatar,
    u.id = (select min(id) from users where admin = 't' and id > 0) as founder
  from users u join handles h on h.id = cast(u.id as text) left join user_profiles p on p.user_id = u.id
    left join uploads f on f.id = u.uploaded_avatar_id
  order by new_id('users', u.id)`

export const accounts = function* (scratch: Scratch, texts: Texts) {
  const lastPost = lastPostOf(scratch)
  for (const row of scratch.each(people)) {
    const website = webAddress(someText(row.website))
    const { handle, old } = row
    yield existing({
      id: row.new_id,
      ...timesOf(row),
      suspended_at: suspendedAt(row, lastPost),
      kind: Number(old) <= 0 ? "bot" : "human",
      admin: row.admin === "t" && Number(old) > 0,
      founder: row.founder === 1,
      handle,
      name: cutTo(someText(row.name) ?? textOf(row.username), 255),
      bio: texts.htmlOf(row.bio_raw, "users", old),
      signature: signatureOf(texts, row),
      links: website === undefined ? [] : [{ text: "Website", url: website }],
      meta: existing({ location: someText(row.location) }),
      verified_status: row.active === "t" ? "verified_email" : "none",
      avatar_id: row.avatar ?? undefined,
      roles: rolesOf(scratch, row),
      interests: [],
      emails: emailsOf(scratch, row)
    })
  }
}
