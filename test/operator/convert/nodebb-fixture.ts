/** A forum of NodeBB with everything that is odd in old ones, as its database in PostgreSQL has it. */
import { createHash } from "node:crypto"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import bcrypt from "bcryptjs"
import { picture } from "./discourse-fixture.ts"
import { dumpOf, type Rows } from "./dumps.ts"

type Value = string | number | boolean | null

export type Objects = Readonly<Record<string, Readonly<Record<string, Value>>>>

export const at = (day: number) => Date.UTC(2020, 0, day, 10)

export const password = "an old and long password"

/** Of the password by itself, of its SHA-512 in hexadecimal digits, and in no known form. */
const hashes = {
  plain: bcrypt.hashSync(password, 4),
  wrapped: bcrypt.hashSync(createHash("sha512").update(password).digest("hex"), 4),
  unknown: "5f4dcc3b5aa765d61d8327deb882cf99"
}

const user = (uid: number, username: string, more: object = {}) => ({
  uid,
  username,
  userslug: username.toLowerCase().replaceAll(" ", "-"),
  joindate: at(1),
  ...more
})

const category = (cid: number, name: string, more: object = {}) => ({
  cid,
  name,
  slug: `${cid}/${name.toLowerCase().replaceAll(" ", "-")}`,
  description: "",
  bgColor: "#AB4642",
  parentCid: 0,
  order: cid,
  disabled: 0,
  ...more
})

const topic = (tid: number, title: string, mainPid: number, more: object = {}) => ({
  tid,
  uid: 1,
  cid: 1,
  title,
  slug: `${tid}/${title.toLowerCase().replaceAll(" ", "-")}`,
  mainPid,
  timestamp: at(2),
  deleted: 0,
  pinned: 0,
  locked: 0,
  ...more
})

const post = (pid: number, tid: number, content: string, more: object = {}) => ({
  pid,
  uid: 1,
  tid,
  content,
  timestamp: at(3) + pid,
  deleted: 0,
  ...more
})

export const replyText = `@freya said in [Welcome](/post/10):
> The **first** post

Thanks @Freya, see https://old.example/forum/topic/1/welcome/4 and [them](/forum/user/odin-allfather) :smile:
![A harbour](/forum/assets/uploads/files/1685368788211-the%20harbour.png)
![Not ours](https://elsewhere.example/assets/uploads/files/1685368788211-theirs.png)
[lost](/assets/uploads/files/lost.txt) <script>alert(1)</script>

[poll]
* yes
[/poll]`

const users: Objects = {
  "user:1": user(1, "Freya", {
    fullname: "Freya Jónsdóttir",
    email: "freya@example.com",
    "email:confirmed": 1,
    aboutme: "I **like** boats",
    signature: "Sail *on*",
    website: "boats.example",
    location: "Reykjavík",
    password: hashes.plain,
    picture: "/forum/assets/uploads/profile/uid-1/1-avatar.png"
  }),
  "user:1:settings": { showfullname: 1 },
  "user:2": user(2, "Odin Allfather", {
    fullname: "A hidden name",
    email: "Same@example.com",
    "email:confirmed": "1",
    website: "javascript:alert(1)",
    password: hashes.wrapped,
    "password:shaWrapped": 1
  }),
  "user:3": user(3, "odin.", {
    userslug: "odin",
    email: "same@example.com",
    password: hashes.unknown
  }),
  "user:4": user(4, "freya", { joindate: "not a date" }),
  "user:5": user(5, "Loki", { joindate: 10_000_000_000_000_000, banned: 1, "banned:expire": at(20) }),
  "user:6": { uid: 6, uploadedpicture: "/assets/uploads/profile/6-x.png" },
  "user:7": user(7, "Thor", { picture: "https://elsewhere.example/uploads/profile/7-x.png" }),
  "user:https://elsewhere.example/users/far": { username: "far" }
}

const categories: Objects = {
  "category:1": category(1, "General", { description: "For <b>all</b>" }),
  "category:2": category(2, "Boats", { parentCid: 1, bgColor: "red" }),
  "category:3": category(3, "Staff"),
  "category:4": category(4, "Under staff", { parentCid: 3 }),
  "category:5": category(5, "Lost", { parentCid: 88 }),
  "category:6": category(6, "Circle", { parentCid: 7 }),
  "category:7": category(7, "Circle2", { parentCid: 6 }),
  "category:8": category(8, "Off", { disabled: 1 }),
  "category:9": category(9, "Members"),
  "category:10": category(10, "General", { slug: "10/general" }),
  "category:11": category(11, "Listed alone")
}

const topics: Objects = {
  "topic:1": topic(1, "Welcome", 10, { pinned: 1, locked: 1, tags: "boats,Sea and sky" }),
  "topic:2": topic(2, "Salaries", 20, { cid: 3 }),
  "topic:3": topic(3, "Nothing", 404),
  "topic:4": topic(4, "Begins late", 404),
  "topic:5": topic(5, "Deleted", 50, { deleted: 1, deletedTimestamp: at(9) }),
  "topic:6": topic(6, "Of nowhere", 60, { cid: 66 }),
  "topic:7": topic(7, "Later", 70, { scheduled: 1, timestamp: Date.UTC(2999, 0, 1) }),
  "topic:8": topic(8, "", 80),
  "topic:9": topic(9, "Members alone", 90, { cid: 9 }),
  "topic:10": topic(10, "Switched off", 100, { cid: 8 }),
  "topic:11": topic(11, "Of no category", 110, { cid: "what" }),
  "topic:12": topic(12, "Merged", 404, { deleted: 1, mergeIntoTid: 1 }),
  "topic:13": topic(13, "Only its title is listed", 130, { cid: 11 }),
  "topic:0c2f7b2e-9df4-4f0b-8d7e-2a4c7d3b9a10": { title: "Far away" }
}

const posts: Objects = {
  "post:10": post(10, 1, "The **first** post", { timestamp: at(4) }),
  "post:11": post(11, 1, replyText, { uid: 2, toPid: 10, timestamp: at(5), edited: at(6) }),
  "post:12": post(12, 1, "Who was I?", { uid: 0, handle: "A guest", toPid: "11", timestamp: at(6) }),
  "post:13": post(13, 1, "Gone", { uid: 55, deleted: 1, timestamp: at(7) }),
  "post:14": post(14, 1, "To what?", { toPid: 404, timestamp: at(8) }),
  "post:15": post(15, 1, "To another topic", { toPid: 50, timestamp: at(8) + 1 }),
  "post:16": post(16, 1, "To itself", { toPid: 16, timestamp: at(8) + 2 }),
  "post:17": post(17, 1, "", { timestamp: 0 }),
  "post:20": post(20, 2, "Salaries are secret ![](/assets/uploads/files/secret.png)"),
  "post:40": post(40, 4, "The second post"),
  "post:41": post(41, 4, "The third post"),
  "post:50": post(50, 5, "A deleted topic"),
  "post:60": post(60, 6, "Nobody knows who could read it"),
  "post:70": post(70, 7, "Not yet", { timestamp: Date.UTC(2999, 0, 1) }),
  "post:80": post(80, 8, "**Unclosed [link](/post/11"),
  "post:81": post(81, 404, "In no topic"),
  "post:82": { pid: 82, content: "In none" },
  "post:90": post(90, 9, "Members are secret"),
  "post:100": post(100, 10, "Switched off is secret"),
  "post:110": post(110, 11, "Of no category is secret"),
  "post:130": post(130, 13, "Listed alone is secret"),
  "post:https://elsewhere.example/1": { content: "Far words" },
  "post:queue:topic-1-1": { data: "Queued words" }
}

const others: Objects = {
  config: { title: "Old harbour", postQueue: 0 },
  "group:administrators": { name: "administrators", system: 1 },
  "group:sailors": { name: "sailors", hidden: 0, system: 0, createtime: at(1) },
  "group:moderators": { name: "moderators", hidden: 0, system: 0, createtime: at(1) },
  "group:secret": { name: "secret", hidden: 1, system: 0, createtime: at(1) },
  "group:cid:1:privileges:groups:read": { name: "cid:1:privileges:groups:read", hidden: 1, system: 1 },
  "chat:room:1": { owner: 1 },
  "message:1": { content: "Private words", fromuid: 1 },
  "flag:1": { type: "post", targetId: 11 },
  "sess:abc": { secret: "secret@session" }
}

export const objects: Objects = { ...users, ...categories, ...topics, ...posts, ...others }

const readable = [1, 2, 4, 5, 6, 7, 8, 10]

export const sorted: Rows = [
  ...readable.flatMap((cid) =>
    ["find", "read", "topics:read"].map((privilege) => ({
      _key: `group:cid:${cid}:privileges:groups:${privilege}:members`,
      value: "guests",
      score: at(1)
    }))
  ),
  { _key: "group:cid:11:privileges:groups:find:members", value: "guests", score: at(1) },
  { _key: "group:cid:11:privileges:groups:read:members", value: "guests", score: at(1) },
  { _key: "group:cid:9:privileges:groups:read:members", value: "registered-users", score: at(1) },
  { _key: "group:cid:2:privileges:moderate:members", value: "4", score: at(1) },
  { _key: "group:administrators:members", value: "1", score: at(1) },
  { _key: "group:Global Moderators:members", value: "2", score: at(1) },
  { _key: "group:sailors:members", value: "1", score: at(1) },
  { _key: "group:sailors:members", value: "77", score: at(1) },
  { _key: "group:secret:members", value: "1", score: at(1) },
  { _key: "group:registered-users:members", value: "1", score: at(1) },
  { _key: "users:banned", value: "3", score: at(8) },
  { _key: "uid:2:upvote", value: "10", score: at(5) },
  { _key: "chat:room:1:mids", value: "1", score: at(1) }
]

export const sets: Rows = [
  { _key: "pid:10:upvote", member: "2" },
  { _key: "pid:10:upvote", member: "3" },
  { _key: "pid:10:upvote", member: "99" },
  { _key: "pid:20:upvote", member: "2" },
  { _key: "pid:11:downvote", member: "1" },
  { _key: "topic:5:tags", member: "old tag" },
  { _key: "topic:2:tags", member: "secret tag" }
]

interface More {
  readonly objects?: Objects
  readonly sorted?: Rows
  readonly sets?: Rows
}

export const dump = (more: More = {}): string => {
  const all = { ...objects, ...more.objects }
  return dumpOf({
    legacy_object: [{ _key: "user:1", type: "hash", expireAt: null }],
    legacy_hash: Object.entries(all).map(([_key, data]) => ({
      _key,
      data: JSON.stringify(data),
      type: "hash"
    })),
    legacy_zset: [...sorted, ...(more.sorted ?? [])].map((row) => ({ ...row, type: "zset" })),
    legacy_set: [...sets, ...(more.sets ?? [])].map((row) => ({ ...row, type: "set" })),
    legacy_string: [{ _key: "a", data: "b", type: "string" }]
  })
}

/** The same as documents of MongoDB, where a set is one document with all of its members. */
export const documents = (more: More = {}): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const members = Map.groupBy([...sets, ...(more.sets ?? [])], ({ _key }) => _key)
  return [
    ...Object.entries({ ...objects, ...more.objects }).map(([_key, data]) => ({ _key, ...data })),
    ...[...sorted, ...(more.sorted ?? [])].map(({ _key, score, value }) => ({ _key, value, score })),
    ...[...members].map(([_key, found]) => ({ _key, members: found.map(({ member }) => member) })),
    { _key: "a", data: "b" },
    { _key: "user:1:ips", array: ["192.0.2.1"] }
  ]
}

/** A directory of uploads, with what nobody should get along. */
export const writeUploads = async (root: string) => {
  const directory = join(root, "uploads")
  await mkdir(join(directory, "files"), { recursive: true })
  await mkdir(join(directory, "profile", "uid-1"), { recursive: true })
  await writeFile(join(directory, "files", "1685368788211-the harbour.png"), picture)
  await writeFile(join(directory, "files", "secret.png"), "secret@file")
  await writeFile(join(directory, "files", "of a chat.png"), "secret@chat")
  await writeFile(join(directory, "profile", "uid-1", "1-avatar.png"), picture)
  await symlink("/etc/passwd", join(directory, "files", "lost.txt"))
  await symlink("/etc", join(directory, "files", "etc"))
  return directory
}
