import { odin } from "../account/AccountExamples.ts"

export const propertyField = {
  fid: "dc0qdtnkhh6uivg0010g",
  name: "Weight",
  type: "number",
  sort: "1"
} as const

export const property = { ...propertyField, value: "42" } as const

export const newProperty = { name: "Weight", type: "number", value: "42", sort: "1" } as const

export const newPropertyField = { name: "Weight", type: "number", sort: "1" } as const

const created = "2026-11-21T14:13:10.104Z"

export const newNode = {
  name: "Handbook",
  content: "<h1>Handbook</h1><p>How we work.</p>",
  tags: ["team"],
  visibility: "published"
} as const

export const page = {
  id: "dc0qdtnkhh6uivg0011g",
  createdAt: created,
  updatedAt: created,
  misc: {},
  name: "Handbook",
  slug: "handbook",
  assets: [],
  description: "How we work.",
  content: "<body><h1>Handbook</h1><p>How we work.</p></body>",
  owner: odin,
  hide_child_tree: false,
  tags: [{ name: "team", colour: "#97d8a4", item_count: 1 }],
  visibility: "published",
  meta: {},
  recomentations: [],
  properties: [],
  child_property_schema: [],
  children: []
} as const

export const version = {
  id: "dc0qdtnkhh6uivg0012g",
  created_at: created,
  updated_at: created,
  node_id: page.id,
  author: odin,
  status: "draft",
  name: "Handbook",
  slug: "handbook",
  description: "How we work.",
  content: "<body><p>How we work, since March.</p></body>",
  properties: [],
  meta: {}
} as const

export const contentToImprove = { content: newNode.content }
