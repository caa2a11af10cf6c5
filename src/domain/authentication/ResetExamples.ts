/** What the description shows of setting a new password. */

export const resetPage = { url: "https://forum.example/password-reset", query: "token" }

export const resetToken = "5zCBqvzRjI5gH1mcXn5Wk0lUYvQ0wP3yq8rTGJkqX2E"
