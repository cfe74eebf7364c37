FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm run assemble -- /image

# One image for every role: ROLES names what a container runs (docs/operations.md#roles). To run an operator's command, replace
# server.ts: docker run … gangway scripts/client.ts --help
FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY --from=build /image ./
ENV NODE_ENV=production METRICS_LISTEN=127.0.0.1:9100
USER node
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9100/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "--max-old-space-size=512", "scripts/run.mjs"]
CMD ["server.ts"]
