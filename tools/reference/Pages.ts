/** The pages of docs/reference, each made from what the program declares. `npm run reference` writes them. */
import { Effect } from "effect"
import { boundsPage } from "./BoundsPage.ts"
import { eventsPage } from "./EventsPage.ts"
import { page } from "./Markdown.ts"
import { operationsPage } from "./OperationsPage.ts"
import { problemsPage } from "./ProblemsPage.ts"
import { settingsPage } from "./SettingsPage.ts"

const index = page(
  "Reference",
  [
    "What integrators and operators can rely on. Each page is made from what the program declares, and a test holds it to that."
  ],
  [
    "- [Operations](operations.md): who may call each, with which credential, and what it costs",
    "- [Problems](problems.md): what may go wrong, and which operations answer with it",
    "- [Bounds](bounds.md): how long, large, many and slow anything may be",
    "- [Settings](settings.md): what a deployment and its administrators choose",
    "- [Events](events.md): what others are told of, and who of them",
    "- [The schema](../schema.md): the tables, and what a write to each sets off",
    "- [What stays compatible](../compatibility.md), and [the description of each release](../openapi/)"
  ]
)

/** The text of each page by the name of its file. */
export const pages: Effect.Effect<Readonly<Record<string, string>>> = Effect.map(
  settingsPage,
  (settings) => ({
    "README.md": index,
    "operations.md": operationsPage(),
    "problems.md": problemsPage(),
    "bounds.md": boundsPage(),
    "settings.md": settings,
    "events.md": eventsPage()
  })
)
