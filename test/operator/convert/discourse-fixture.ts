/** A forum of Discourse with everything that is odd in old ones. */
import { createHash, pbkdf2Sync } from "node:crypto"
import { gzipSync } from "node:zlib"
import { archiveOf, dumpOf, type Rows } from "./dumps.ts"

export const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

export const at = (day: number) => `2020-01-${String(day).padStart(2, "0")} 10:00:00.123456`

const sha1 = "0000c513e1da04f7b4e99230851ea2aafeb8cc4e"

export const shortAddress = "upload://1Eg9p8rrCURq4T3a6iJUk0ri6.png"

export const password = "an old and long password"

const salt = "c0ffee00c0ffee00c0ffee00c0ffee00"

const times = (day: number) => ({ created_at: at(day), updated_at: at(day) })

const user = (id: number, username: string, more: object = {}) => ({
  id,
  username,
  name: null,
  admin: false,
  moderator: false,
  active: true,
  suspended_till: null,
  silenced_till: null,
  uploaded_avatar_id: null,
  ...times(1),
  ...more
})

const topic = (id: number, title: string, more: object = {}) => ({
  id,
  title,
  slug: title.toLowerCase().replaceAll(" ", "-"),
  user_id: 1,
  category_id: 1,
  archetype: "regular",
  deleted_at: null,
  visible: true,
  closed: false,
  archived: false,
  pinned_at: null,
  pinned_globally: false,
  ...times(2),
  ...more
})

const post = (id: number, topic_id: number | null, post_number: number, raw: string, more: object = {}) => ({
  id,
  user_id: 1,
  topic_id,
  post_number,
  raw,
  reply_to_post_number: null,
  deleted_at: null,
  hidden: false,
  post_type: 1,
  ...times(3),
  ...more
})

const category = (id: number, name: string, more: object = {}) => ({
  id,
  name,
  slug: name.toLowerCase(),
  description: null,
  color: "0088CC",
  position: id,
  parent_category_id: null,
  read_restricted: false,
  ...times(1),
  ...more
})

export const replyRaw = `[quote="freya, post:1, topic:1"]
The **first** post
[/quote]

Thanks @Freya, see https://old.example/t/welcome/1/3 :smile:
![A harbour|690x400](${shortAddress})

[poll]
* yes
[/poll]

\`[quote="x"]\` and a tab\tand a backslash \\ <script>alert(1)</script>`

export const tables: Readonly<Record<string, Rows>> = {
  users: [
    user(-1, "system", { admin: true }),
    user(1, "Freya", { admin: true, name: "Freya Jónsdóttir", uploaded_avatar_id: 1 }),
    user(2, "odin", { moderator: true, suspended_till: "2999-01-01 00:00:00" }),
    user(3, "Odin.", { active: false, silenced_till: "2999-01-01 00:00:00" }),
    user(4, "freya", { created_at: "not a date" }),
    user(5, "me", { created_at: "0044-03-15 00:00:00 BC" })
  ],
  user_emails: [
    { id: 1, user_id: 1, email: "freya@example.com", created_at: at(1) },
    { id: 2, user_id: 2, email: "Same@example.com", created_at: at(1) },
    { id: 3, user_id: 3, email: "same@example.com", created_at: at(1) },
    { id: 4, user_id: 77, email: "nobody@example.com", created_at: at(1) }
  ],
  user_profiles: [
    { user_id: 1, bio_raw: "I **like** boats", website: "boats.example", location: "Reykjavík" },
    { user_id: 2, bio_raw: null, website: "javascript:alert(1)", location: null }
  ],
  user_passwords: [
    {
      user_id: 1,
      password_hash: pbkdf2Sync(password, salt, 1000, 32, "sha256").toString("hex"),
      password_salt: salt,
      password_algorithm: "$pbkdf2-sha256$i=1000,l=32$",
      created_at: at(1)
    },
    { user_id: 2, password_hash: "zz", password_salt: salt, password_algorithm: "$md5$", created_at: at(1) }
  ],
  groups: [
    { id: 1, name: "admins", automatic: true, visibility_level: 0, full_name: null, ...times(1) },
    { id: 41, name: "sailors", automatic: false, visibility_level: 0, full_name: "Sailors", ...times(1) },
    { id: 42, name: "secret", automatic: false, visibility_level: 3, full_name: null, ...times(1) }
  ],
  group_users: [
    { id: 1, group_id: 41, user_id: 1 },
    { id: 2, group_id: 42, user_id: 1 },
    { id: 3, group_id: 99, user_id: 1 }
  ],
  categories: [
    category(1, "General", { description: "For <b>all</b>" }),
    category(2, "Boats", { parent_category_id: 1 }),
    category(3, "Staff", { read_restricted: true }),
    category(4, "Plans", { parent_category_id: 3 }),
    category(5, "Lost", { parent_category_id: 88 }),
    category(6, "Circle", { parent_category_id: 7 }),
    category(7, "Circle2", { parent_category_id: 6 })
  ],
  topics: [
    topic(1, "Welcome", { pinned_at: at(2), pinned_globally: true, closed: true }),
    topic(2, "Salaries", { category_id: 3 }),
    topic(3, "A secret", { archetype: "private_message", category_id: null }),
    topic(4, "Nothing"),
    topic(5, "Begins late", { visible: false }),
    topic(6, "Deleted", { deleted_at: at(9) }),
    topic(7, "Bad plans", { category_id: 4 }),
    topic(8, "Nowhere", { category_id: 66 }),
    topic(9, "Aliens", { archetype: "banner" })
  ],
  posts: [
    post(1, 1, 1, "The **first** post"),
    post(2, 1, 2, replyRaw, { user_id: 2, reply_to_post_number: 1, created_at: at(4), updated_at: at(5) }),
    post(3, 1, 3, "Who was I?", { user_id: null, reply_to_post_number: 2, created_at: at(5) }),
    post(4, 1, 4, "For staff", { post_type: 4, created_at: at(6) }),
    post(5, 1, 5, "", { post_type: 3, created_at: at(6) }),
    post(6, 1, 6, "Bad words", { hidden: true, created_at: at(7) }),
    post(7, 1, 7, "Gone", { deleted_at: at(9), user_id: 55, created_at: at(8) }),
    post(8, 1, 8, "To what?", { reply_to_post_number: 70, created_at: at(8) }),
    post(9, 1, 9, "A circle", { reply_to_post_number: 9, created_at: at(9) }),
    post(20, 2, 1, "Salaries are secret"),
    post(21, 7, 1, "Plans are secret"),
    post(30, 3, 1, "Private words"),
    post(50, 5, 2, "The second post"),
    post(51, 5, 3, "The third post", { created_at: at(4) }),
    post(60, 6, 1, "A deleted topic"),
    post(80, 8, 1, "Where am I?"),
    post(81, 404, 1, "In no topic"),
    post(82, null, 1, "In none"),
    post(90, 9, 1, "A banner"),
    post(91, 1, 10, "Of no kind", { post_type: 9 })
  ],
  post_actions: [
    { id: 1, post_id: 1, user_id: 2, post_action_type_id: 2, deleted_at: null, created_at: at(5) },
    { id: 2, post_id: 1, user_id: 2, post_action_type_id: 2, deleted_at: null, created_at: at(6) },
    { id: 3, post_id: 2, user_id: 1, post_action_type_id: 2, deleted_at: at(7), created_at: at(6) },
    { id: 4, post_id: 2, user_id: 99, post_action_type_id: 2, deleted_at: null, created_at: at(6) },
    { id: 5, post_id: 2, user_id: 3, post_action_type_id: 8, deleted_at: null, created_at: at(6) },
    { id: 6, post_id: 30, user_id: 1, post_action_type_id: 2, deleted_at: null, created_at: at(6) },
    { id: 7, post_id: 2, user_id: 1, post_action_type_id: 1, deleted_at: null, created_at: at(6) }
  ],
  tags: [
    { id: 1, name: "boats", created_at: at(1) },
    { id: 2, name: "", created_at: at(1) }
  ],
  topic_tags: [
    { id: 1, topic_id: 1, tag_id: 1 },
    { id: 2, topic_id: 1, tag_id: 2 },
    { id: 3, topic_id: 1, tag_id: 3 }
  ],
  uploads: [
    {
      id: 1,
      user_id: 1,
      original_filename: "harbour.png",
      filesize: picture.length,
      width: 1,
      height: 1,
      url: "/uploads/default/original/1X/harbour.png",
      sha1,
      created_at: at(1)
    },
    {
      id: 2,
      user_id: 404,
      original_filename: "../../etc/lost.txt",
      filesize: 5,
      width: null,
      height: null,
      url: "//bucket.example/original/1X/lost.txt",
      sha1: "1".repeat(40),
      created_at: at(1)
    },
    {
      id: 3,
      user_id: 1,
      original_filename: "the same.png",
      filesize: picture.length,
      width: 1,
      height: 1,
      url: "/uploads/default/original/2X/same.png",
      sha1: "2".repeat(40),
      created_at: at(1)
    }
  ],
  permalinks: [
    {
      id: 1,
      url: "old/welcome.html",
      topic_id: 1,
      post_id: null,
      category_id: null,
      tag_id: null,
      user_id: null,
      external_url: null
    },
    {
      id: 2,
      url: "old/secret",
      topic_id: 2,
      post_id: null,
      category_id: null,
      tag_id: null,
      user_id: null,
      external_url: null
    }
  ],
  site_settings: [{ id: 1, name: "title", value: "Old harbour" }],
  backup_metadata: [{ id: 1, name: "base_url", value: "https://old.example" }]
}

export const dump = (more: Readonly<Record<string, Rows>> = {}) => gzipSync(dumpOf({ ...tables, ...more }))

export const backup = () =>
  archiveOf([
    { name: "dump.sql.gz", bytes: dump() },
    { name: "uploads/default/original/1X/harbour.png", bytes: picture },
    {
      name: "uploads/default/original/2X/same.png",
      type: "link",
      target: "uploads/default/original/1X/harbour.png"
    },
    {
      name: "uploads/default/original/2X/passwd.txt",
      type: "link",
      target: "../../../etc/passwd"
    },
    { name: "uploads/default/optimized/1X/small.png", bytes: "small" },
    { name: "uploads/default/original/1X/passwd.txt", type: "symlink", target: "/etc/passwd" },
    { name: "../../../tmp/escaped.txt", bytes: "escaped" },
    { name: "uploads/../../../../tmp/escaped.txt", bytes: "escaped" }
  ])

export const sha256 = createHash("sha256").update(picture).digest("hex")
