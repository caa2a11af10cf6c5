export const editorPage = {
  id: "dc0qdt7khh6uivg0006g",
  createdAt: "2026-11-21T14:13:09.012Z",
  updatedAt: "2026-11-21T14:13:09.012Z",
  misc: {},
  url: "https://www.example.org/editors/ed?lang=en",
  slug: "example-org-editors-ed",
  domain: "www.example.org",
  title: "ed, the standard editor",
  description: ""
} as const
