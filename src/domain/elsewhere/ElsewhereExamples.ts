export const callback = {
  state: "wIsyGPXwQZ4Xk9bWcT0aVY2mJr7nE5oLd1uHqKf3Sg8",
  code: "SplxlOBeZQQYbYS6WxSbIA"
}
