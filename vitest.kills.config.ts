import { defineConfig } from "vitest/config"

// Services and their database, killed again and again. It takes a minute and both cores, or as long as one wants.
export default defineConfig({
  test: {
    include: ["test/kills/**/*.kills.ts"],
    globalSetup: ["test/support/compiled.ts"],
    pool: "forks",
    fileParallelism: false
  }
})
