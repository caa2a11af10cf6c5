/** Examples of bodies as they go over the wire, by the component that they are of. */
import type { JsonObject } from "./Json.ts"

const resource = {
  createdAt: "2026-11-21T14:13:09.565Z",
  updatedAt: "2026-11-21T14:13:09.565Z",
  misc: {}
}

const memberRole = {
  id: "00000000000000000010",
  name: "Member",
  colour: "green",
  meta: {},
  badge: false,
  default: true
}

const author = {
  id: "dc0qdt7khh6uivg0000g",
  joined: "2026-11-21T14:13:08.211Z",
  handle: "odin",
  name: "Odin",
  roles: [memberRole]
}

const category = {
  id: "dc0qdt7khh6uivg0001g",
  ...resource,
  name: "General",
  slug: "general",
  description: "Anything goes",
  colour: "#8fbc8f",
  sort: 0,
  meta: {},
  postCount: 1,
  children: []
}

const postOf = (id: string, title: string, body: string) => ({
  id,
  ...resource,
  title,
  description: body.replace(/<[^>]+>/g, ""),
  slug: `${id}-which-editor-do-you-use`,
  author,
  visibility: "published",
  assets: [],
  reacts: [],
  collections: { in_collections: 0, has_collected: false },
  likes: { likes: 0, liked: false },
  meta: {},
  body: `<body>${body}</body>`,
  body_links: []
})

const post = postOf("dc0qdt7khh6uivg0002g", "Which editor do you use?", "<p>Tell me why, too.</p>")

const reply = {
  ...postOf("dc0qdtfkhh6uivg0004g", "Which editor do you use?", "ed, the standard editor."),
  root_id: post.id,
  root_slug: post.slug
}

const threadReference = {
  ...post,
  pinned: 0,
  reply_status: { replies: 1, replied: 0 },
  category,
  tags: [{ name: "editors", colour: "#a4cbaf", item_count: 1 }],
  last_reply_at: "2026-11-21T14:13:09.565Z"
}

const onePage = { page_size: 50, results: 1, total_pages: 1, current_page: 1 }

const account = {
  id: author.id,
  ...resource,
  joined: author.joined,
  handle: author.handle,
  name: author.name,
  roles: [{ ...memberRole, ...resource, permissions: ["CREATE_POST", "READ_PUBLISHED_THREADS"] }],
  bio: "<body></body>",
  links: [{ text: "My site", url: "https://odin.example" }],
  meta: {},
  verified_status: "none",
  kind: "human",
  email_addresses: [],
  auth_services: ["password"],
  notifications: 1,
  admin: false
}

const { badge: _, default: __, ...plainRole } = memberRole
const role = { ...plainRole, ...resource, permissions: ["CREATE_POST", "READ_PUBLISHED_THREADS"] }

const notification = {
  id: "dc0qdtfkhh6uivg00050",
  created_at: "2026-11-21T14:13:09.565Z",
  event: "thread_reply",
  item: { kind: "post", ref: post },
  source: author,
  status: "unread"
}

const info = {
  title: "Forum",
  description: "A place to talk and to keep what was learned.",
  content: "<body></body>",
  accent_colour: "#2f6f5e",
  onboarding_status: "complete",
  authentication_mode: "handle",
  registration_mode: "public",
  capabilities: [],
  web_address: "https://forum.example",
  api_address: "https://forum.example",
  metadata: {}
}

const threadChanges = { title: "Which editor do you use, and why?", tags: ["editors"] }

export const examples: JsonObject = {
  Account: account,
  AccountMutableProps: { name: "Odin", links: [{ text: "My site", url: "https://odin.example" }] },
  AuthPair: { identifier: "odin", token: "correct horse battery" },
  AuthPasswordInitialProps: { password: "correct horse battery" },
  AuthPasswordMutableProps: { old: "correct horse battery", new: "an even longer one" },
  AuthProviderListResult: { providers: [{ provider: "password", name: "Password" }], mode: "handle" },
  AuthSuccess: { id: author.id },
  Category: category,
  CategoryInitialProps: { name: "General", description: "Anything goes", colour: "#8fbc8f" },
  CategoryListResult: { categories: [category] },
  Info: info,
  Notification: notification,
  NotificationListResult: { ...onePage, notifications: [notification] },
  NotificationListUpdate: { notifications: [{ id: notification.id, status: "read" }] },
  NotificationMutableProps: { status: "read" },
  Post: post,
  PostMutableProps: { body: "<p>ed, the standard editor.</p>" },
  Reply: reply,
  ReplyInitialProps: { body: "<p>ed, the standard editor.</p>" },
  Role: role,
  RoleListResult: { roles: [role] },
  SessionInfo: { info, account },
  Thread: {
    ...threadReference,
    recomentations: [],
    replies: { ...onePage, replies: [reply] }
  },
  ThreadInitialProps: {
    title: "Which editor do you use?",
    body: "<p>Tell me why, too.</p>",
    category: category.id,
    tags: ["editors"],
    visibility: "published"
  },
  ThreadListResult: { ...onePage, threads: [threadReference] },
  ThreadMutableProps: threadChanges
}
