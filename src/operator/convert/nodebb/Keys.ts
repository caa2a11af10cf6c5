/** Which keys of the database of NodeBB are read, and what they are of. It keeps all that it has as keys with values. Pure. */

export interface Key {
  readonly kind: string
  readonly id: string
}

const numbered = /^(user|category|topic|post|flag):([1-9]\d{0,14})$/
const group = /^group:([^:]{1,300})$/
const settings = /^user:(\d{1,15}):settings$/
const room = /^chat:room:(\d{1,15})$/
const queued = /^post:queue:(.{1,100})$/
/** Numbers are of what was written there; other servers' things have addresses or hashes. */
const elsewhere = /^((?:userRemote|user|post|topic):(?:https?:\/\/.{1,400}|[0-9a-f-]{36}))$/

const hashForms = [
  ["group", group],
  ["settings", settings],
  ["room", room],
  ["queued", queued],
  ["elsewhere", elsewhere]
] as const

/** What an object is of; none of what is not read. */
export const hashKey = (key: string): Key | undefined => {
  if (key === "config") return { kind: "config", id: "" }
  const [, kind, number] = numbered.exec(key) ?? []
  if (kind !== undefined && number !== undefined) return { kind, id: number }
  for (const [name, form] of hashForms) {
    const [, id] = form.exec(key) ?? []
    if (id !== undefined) return { kind: name, id }
  }
  return undefined
}

/** Everybody is in one of these. */
const large = new Set(["registered-users", "verified-users", "unverified-users"])

/** What a list with scores is of: the members of a group, whom a privilege is given to, who is banned, what somebody voted for. */
export const sortedKey = (key: string): Key | undefined => {
  if (key === "users:banned" || key === "users:banned:expire") return { kind: key, id: "" }
  const [, name] = /^group:(.{1,300}):members$/.exec(key) ?? []
  if (name !== undefined) return large.has(name) ? undefined : { kind: "members", id: name }
  const [, uid] = /^uid:(\d{1,15}):upvote$/.exec(key) ?? []
  return uid === undefined ? undefined : { kind: "upvoted", id: uid }
}

/** What a set is of: who voted on a post, the tags of a topic. */
export const setKey = (key: string): Key | undefined => {
  const [, pid, vote] = /^pid:(\d{1,15}):(upvote|downvote)$/.exec(key) ?? []
  if (pid !== undefined && vote !== undefined) return { kind: vote, id: pid }
  const [, tid] = /^topic:(\d{1,15}):tags$/.exec(key) ?? []
  return tid === undefined ? undefined : { kind: "tags", id: tid }
}
