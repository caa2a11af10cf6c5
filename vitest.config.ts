import { defaultExclude, defineConfig } from "vitest/config"

/** Whose files' names end so. */
const long = "test/**/*.long.test.ts"
const alone = "test/**/*.alone.test.ts"

const shared = {
  // Files share what they import, and each has a database of its own. A process each: names of databases count on it.
  pool: "forks",
  isolate: false,
  // For tests that hang; slow machines are no failure.
  testTimeout: 180_000,
  hookTimeout: 120_000
} as const

/** Some tests mostly wait, for servers that start and die. */
export const beside = {
  ...shared,
  maxWorkers: 3,
  // Most of what tests make is soon unused. With room for it, V8 copies less: measured, 9 % less processor time.
  execArgv: ["--max-semi-space-size=64"]
}

/** What is there before any test runs. */
export const globalSetup = [
  "test/support/postgres.ts",
  "test/support/declared-answers.ts",
  "test/support/compiled.ts"
]

/** `npm test` runs the first project, `npm run test:all` all of them, so that no file belongs to none. */
export default defineConfig({
  test: {
    globalSetup,
    projects: [
      {
        test: {
          ...beside,
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: [...defaultExclude, long, alone]
        }
      },
      { test: { ...beside, name: "long", include: [long] } },
      // What measures time or takes all processors: last, and with nothing beside it.
      {
        test: { ...shared, name: "alone", include: [alone], maxWorkers: 1, sequence: { groupOrder: 1 } }
      }
    ]
  }
})
