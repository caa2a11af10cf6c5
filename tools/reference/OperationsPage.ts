/** Who may call which operation, with what, and what it costs. */
import * as BuiltInRoles from "../../src/domain/role/BuiltInRoles.ts"
import { isForAccounts, takenBy } from "../../src/domain/shared/Access.ts"
import { Permission } from "../../src/domain/shared/Permission.ts"
import { areas, type DeclaredOperation, operations } from "./Declared.ts"
import { code, linkTo, mark, page, parts, placeOf, table } from "./Markdown.ts"

const holds = (permissions: ReadonlyArray<Permission>, { also, permissions: enough }: DeclaredOperation) =>
  (enough.length === 0 || enough.some((one) => permissions.includes(one))) &&
  (also === undefined || permissions.includes(also))

/** Who may call it while nobody has changed the built-in roles. */
const whoAtFirst = (operation: DeclaredOperation): string => {
  if (!isForAccounts(operation.access) && holds(BuiltInRoles.guest.permissions, operation)) return "everyone"
  return holds(BuiltInRoles.member.permissions, operation) ? "members" : "administrators"
}

const permissionsOf = ({ also, permissions }: DeclaredOperation): string =>
  [permissions.map(code).join(" or "), ...(also === undefined ? [] : [code(also)])]
    .filter((text) => text !== "")
    .join(" and ")

const guestsOf = ({ access, asksWho }: DeclaredOperation): string => {
  if (!asksWho) return "yes"
  if (access._tag === "Public") return "yes"
  if (access._tag === "Reader") return "by their role"
  return access._tag === "Contributor" ? "401, or 403 by their role" : "401"
}

const credentialsOf = (operation: DeclaredOperation): ReadonlyArray<string> => {
  const { access, asksWho } = operation
  const takes = takenBy(access)
  if (!asksWho) return ["not read", "not read", "not read"]
  const scope = operation.permissions.length === 0 ? "any scope" : `scope ${permissionsOf(operation)}`
  return [
    takes === "token" ? "401" : "yes",
    takes === "cookie" || takes === "token" ? "403" : "yes",
    takes === "cookie" || takes === "cookie or key" ? "403" : scope
  ]
}

const costOf = ({ cost, heavyWith }: DeclaredOperation): string =>
  heavyWith.length === 0 ? cost : `${cost}; heavy with ${heavyWith.map(code).join(", ")}`

const notesOf = ({ needs, tools }: DeclaredOperation): string =>
  [
    ...needs.map((what) => `needs ${what}`),
    ...(tools.length === 0 ? [] : [`tool ${tools.map(({ name }) => code(name)).join(", ")}`])
  ].join("; ")

const rowOf = (operation: DeclaredOperation): ReadonlyArray<string> => [
  mark(operation.id),
  `${code(`${operation.method} ${operation.path}`)} ${operation.summary}`,
  permissionsOf(operation),
  whoAtFirst(operation),
  guestsOf(operation),
  ...credentialsOf(operation),
  String(operation.units),
  costOf(operation),
  operation.takesKeys ? "yes" : "",
  notesOf(operation)
]

const headings = [
  ["Operation", "Request", "Permission", "At first", "Guests", "Cookie", "Access key", "Access token"],
  ["Units", "Cost", "Key of requests", "Notes"]
].flat()

const permissionRow = (permission: Permission): ReadonlyArray<string> => {
  const isHeld = (role: { readonly permissions: ReadonlyArray<Permission> }) =>
    role.permissions.includes(permission) || role.permissions.includes("ADMINISTRATOR") ? "yes" : ""
  const needing = operations.filter(
    ({ also, permissions }) => permissions.includes(permission) || also === permission
  )
  return [
    mark(permission),
    isHeld(BuiltInRoles.guest),
    isHeld(BuiltInRoles.member),
    isHeld(BuiltInRoles.admin),
    needing.map(({ id }) => linkTo("", id)).join(", ")
  ]
}

const introduction = [
  `${operations.length} operations in ${areas.length} areas. Addresses are below \`/api\`. What depends on the thing`,
  "itself (its owner, its visibility, the rank of whom it is about) is in the description of each operation;",
  "what is decided here is decided before parameters and body are read."
]

const columns = [
  "- **Permission**: what a role has to allow; none where the column is empty. `ADMINISTRATOR` implies all others.",
  "- **At first**: who may call it while nobody has changed the [built-in roles](#permissions).",
  "- **Guests**: requests without a credential, or with one that is not valid. *By their role*: if the role Guest",
  "  has the permission, else 403. 401 where an account is needed.",
  "- **Cookie** (of a session), **access key**, **access token** (of OAuth): whether the operation takes it. A token",
  "  does what is among its scopes and what its account may do. *Not read*: the answer is the same for everyone.",
  "- **Units**: what a request takes of [the limit of requests](bounds.md#limit-of-requests). **Cost**: its",
  "  [lane](bounds.md#lanes).",
  "- **Key of requests**: whether it takes an [`Idempotency-Key`](../idempotency.md).",
  "- **Notes**: what the instance has to have, without which the operation is refused; and the",
  "  [tools of agents](../agents.md) that it is.",
  "- Suspended accounts are refused (403) wherever the column *Permission* has one or *Guests* is 401."
]

export const operationsPage = (): string =>
  page(
    "Operations: who may call them, and what they cost",
    introduction,
    columns,
    areas.map(({ about, name }) => `- [${name}](#${placeOf(name)}): ${about}`),
    ["## Permissions"],
    [
      "A role allows what it lists. The role Guest holds for requests without an account, and can have none but",
      "those that it has at first."
    ],
    table(["Permission", "Guest", "Member", "Admin", "Operations"], Permission.literals.map(permissionRow)),
    ...areas.map(({ about, name }) =>
      parts(
        [`## ${name}`],
        [`${about}.`],
        table(headings, operations.filter(({ area }) => area === name).map(rowOf))
      )
    )
  )
