import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A client for the service, on the JDK and Gson. Copy this file and bring your own {@link TokenStore}. */
final class Plainbook {
    static final Gson JSON =
            new GsonBuilder().setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();

    private static final Duration EARLY_REFRESH = Duration.ofMinutes(1);
    private static final Duration WEBHOOK_TOLERANCE = Duration.ofMinutes(5);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final Set<Integer> TRANSIENT = Set.of(408, 409, 429);

    static {
        // Shorter than the service's own timeout, so that no request goes out on a connection that is closing.
        System.setProperty("jdk.httpclient.keepalive.timeout", "2");
    }

    /** The service refused the call and did nothing. */
    static final class RefusedException extends RuntimeException {
        final int status;
        final String reason;

        RefusedException(int status, String reason, String message) {
            super(message);
            this.status = status;
            this.reason = reason;
        }
    }

    /** No answer, or an inconclusive one: the call may have taken effect. */
    static final class UnknownOutcomeException extends RuntimeException {
        final Duration retryAfter;

        UnknownOutcomeException(String message, Duration retryAfter, Throwable cause) {
            super(message, cause);
            this.retryAfter = retryAfter;
        }
    }

    /** There are no usable tokens: the person must authorize again. */
    static final class NotConnectedException extends RuntimeException {
        NotConnectedException() {
            super("not connected");
        }
    }

    record Settings(
            String baseUrl, String authUrl, String clientId, String clientSecret, String provider, String webhookSecret,
            String previousWebhookSecret, List<String> redirectUris, Integer timeoutSeconds) {}

    record Pair(String userId, String accessToken, String refreshToken, Instant expiresAt, Instant savedAt) {}

    /** One token pair per user, written as a whole. */
    interface TokenStore {
        Optional<Pair> find(String userId);

        List<Pair> all();

        void put(String userId, Pair pair);

        void remove(String userId);
    }

    /** A request. Without a token, it uses the client's credentials. */
    record Call(String method, String path, Object body, String key, String token, int tries) {
        static Call get(String path) {
            return new Call("GET", path, null, null, null, 3);
        }

        static Call post(String path, Object body) {
            return new Call("POST", path, body, null, null, 1);
        }

        /** A call with an idempotency key is safe to retry. */
        Call withKey(String key) {
            return new Call(method, path, body, key, token, 3);
        }

        Call withToken(String token) {
            return new Call(method, path, body, key, token, tries);
        }

        Call withTries(int tries) {
            return new Call(method, path, body, key, token, tries);
        }
    }

    record User(String id, String status, Map<String, String> metadata) {
        User {
            metadata = Objects.requireNonNullElse(metadata, Map.of());
        }
    }

    /** The URL to visit, and the state and verifier to store. */
    record Visit(String address, String state, String verifier) {}

    record Event(String webhookId, String webhookType, String userId, String resourceId) {}

    private record Issued(String accessToken, String refreshToken, Long expiresIn) {}

    private record SessionToken(String token) {}

    private record FieldError(String field, String message) {}

    private record Problem(
            String reason, String error, String description, String errorDescription, List<FieldError> errors) {}

    private final Settings settings;
    private final TokenStore pairs;
    private final Duration timeout;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    // These locks cover one process. With several, lock the user's row in the database instead.
    private final Map<String, Object> locks = new ConcurrentHashMap<>();

    Plainbook(Settings settings, TokenStore pairs) {
        this.settings = settings;
        this.pairs = pairs;
        timeout = Duration.ofSeconds(Objects.requireNonNullElse(settings.timeoutSeconds(), 10));
    }

    /** Makes a call, and retries it if that is safe. */
    <T> T call(Call call, Class<T> type) {
        for (int attempt = 1; ; attempt++) {
            try {
                return send(call, type);
            } catch (UnknownOutcomeException unknown) {
                Duration pause = unknown.retryAfter.isZero() ? backoff(attempt) : unknown.retryAfter;
                if (attempt == call.tries() || pause.compareTo(LONGEST_PAUSE) > 0) throw unknown;
                sleep(pause);
            }
        }
    }

    /** Calls with the user's access token. If the service refuses the token, refreshes it and retries once. */
    <T> T callAs(String userId, Call call, Class<T> type) {
        String token = accessToken(userId);
        try {
            return call(call.withToken(token), type);
        } catch (RefusedException refused) {
            if (refused.status != 401) throw refused;
            return call(call.withToken(refresh(userId, token)), type);
        }
    }

    /** Returns the user's access token, refreshed if it expires within a minute. */
    String accessToken(String userId) {
        Pair pair = pairs.find(userId).orElseThrow(NotConnectedException::new);
        boolean isEnding = pair.expiresAt().minus(EARLY_REFRESH).isBefore(Instant.now());
        return isEnding ? refresh(userId, pair.accessToken()) : pair.accessToken();
    }

    /** Replaces an access token. Concurrent callers share one refresh. */
    String refresh(String userId, String oldToken) {
        synchronized (lockOf(userId)) {
            Pair pair = pairs.find(userId).orElseThrow(NotConnectedException::new);
            if (!pair.accessToken().equals(oldToken)) return pair.accessToken();
            // Even if this refresh fails, the old token isn't sent again.
            pairs.put(userId, new Pair(userId, oldToken, pair.refreshToken(), Instant.EPOCH, pair.savedAt()));
            var body = Map.of("grant_type", "refresh_token", "refresh_token", pair.refreshToken());
            try {
                return save(userId, call(Call.post("/v1/oauth/token", body).withTries(3), Issued.class));
            } catch (RefusedException refused) {
                if (!"invalid_grant".equals(refused.reason)) throw refused;
                pairs.remove(userId);
                throw new NotConnectedException();
            }
        }
    }

    /** Returns the pairs to refresh, because refresh tokens expire after ten days. Weekly is recommended. */
    List<Pair> idlePairs(Duration idle) {
        Instant savedBefore = Instant.now().minus(idle);
        return pairs.all().stream().filter(pair -> !pair.savedAt().isAfter(savedBefore)).toList();
    }

    /** Revokes the authorization, then deletes its tokens. */
    void disconnect(String userId) {
        synchronized (lockOf(userId)) {
            pairs.find(userId).ifPresent(pair -> {
                var body = Map.of("token", pair.refreshToken());
                call(Call.post("/v1/oauth/revoke", body).withTries(3), Object.class);
                pairs.remove(userId);
            });
        }
    }

    /** Prepares a visit to the authorization pages. The field is "user_id" or "user_intent_id". */
    Visit startVisit(String customerId, String field, String id) {
        var providerData = Map.of("customer_id", customerId);
        var body = Map.of("provider", settings.provider(), "provider_data", providerData, field, id);
        String token = call(Call.post("/v1/partner/identity/verification", body), SessionToken.class).token();
        String state = randomText();
        String verifier = randomText();
        var query = Map.of(
                field, id,
                "session_token", token,
                "client_id", settings.clientId(),
                "redirect_uri", settings.redirectUris().get(0),
                "response_type", "code",
                "state", state,
                "code_challenge", base64Url(sha256(verifier)),
                "code_challenge_method", "S256");
        String encoded = query.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + urlEncode(entry.getValue()))
                .collect(Collectors.joining("&"));
        return new Visit(settings.authUrl() + "/login/oauth/authorize?" + encoded, state, verifier);
    }

    /** Exchanges a code and returns its user. Stores the tokens only if the expected person authorized. */
    User connect(String code, String verifier, Predicate<User> isExpected) {
        var body = Map.of(
                "grant_type", "authorization_code",
                "code", code,
                "redirect_uri", settings.redirectUris().get(0),
                "code_verifier", verifier);
        // Never retried: a second exchange of a code revokes the first one's tokens.
        Issued issued = call(Call.post("/v1/oauth/token", body), Issued.class);
        User user = call(Call.get("/v1/user").withToken(issued.accessToken()), User.class);
        if (!isExpected.test(user)) throw new RefusedException(403, null, "Someone else authorized. Please try again.");
        // A refresh of the previous tokens may be running, and deletes them if it is refused.
        synchronized (lockOf(user.id())) {
            save(user.id(), issued);
        }
        return user;
    }

    /** Returns the event if the current or previous secret signed exactly these bytes recently. */
    Optional<Event> verifyWebhook(String id, String timestamp, String signatures, byte[] body) {
        if (id == null || timestamp == null || signatures == null) return Optional.empty();
        if (!timestamp.matches("\\d{1,12}")) return Optional.empty();
        Instant sentAt = Instant.ofEpochSecond(Long.parseLong(timestamp));
        if (Duration.between(sentAt, Instant.now()).abs().compareTo(WEBHOOK_TOLERANCE) > 0) return Optional.empty();
        List<String> received = List.of(signatures.split(" "));
        boolean isGenuine = Stream.of(settings.webhookSecret(), settings.previousWebhookSecret())
                .map(secret -> Objects.requireNonNullElse(secret, "").replaceFirst("^whsec_", ""))
                .filter(secret -> !secret.isEmpty())
                .map(secret -> "v1," + sign(secret, id + "." + timestamp + ".", body))
                .anyMatch(expected -> received.stream().anyMatch(signature -> isEqual(expected, signature)));
        return isGenuine ? Optional.of(JSON.fromJson(utf8(body), Event.class)) : Optional.empty();
    }

    static boolean isEqual(String left, String right) {
        return MessageDigest.isEqual(utf8(left), utf8(right));
    }

    static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(utf8(text));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static String randomText() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return base64Url(bytes);
    }

    private <T> T send(Call call, Class<T> type) {
        var request = HttpRequest.newBuilder(URI.create(settings.baseUrl() + call.path()))
                .timeout(timeout)
                .header("Accept", "application/json")
                .header("Authorization", call.token() == null ? basic() : "Bearer " + call.token());
        if (call.key() != null) request.header("Idempotency-Key", call.key());
        if (call.body() == null) {
            request.method(call.method(), BodyPublishers.noBody());
        } else {
            request.header("Content-Type", "application/json");
            request.method(call.method(), BodyPublishers.ofString(JSON.toJson(call.body())));
        }
        try {
            // The request's own timeout doesn't cover the body.
            var sent = http.sendAsync(request.build(), BodyHandlers.ofString());
            return read(sent.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).join(), type);
        } catch (CompletionException | JsonParseException error) {
            String message = call.method() + " " + call.path() + ": " + error.getMessage();
            throw new UnknownOutcomeException(message, Duration.ZERO, error);
        }
    }

    private static <T> T read(HttpResponse<String> response, Class<T> type) {
        int status = response.statusCode();
        if (status / 100 == 2) return JSON.fromJson(response.body(), type);
        if (status / 100 != 4 || TRANSIENT.contains(status)) {
            String message = response.request().method() + " " + response.uri().getPath() + ": " + status;
            throw new UnknownOutcomeException(message, retryAfter(response.headers()), null);
        }
        Problem problem = readProblem(response.body());
        var fields = Objects.requireNonNullElse(problem.errors(), List.<FieldError>of()).stream()
                .map(error -> error.field() + ": " + error.message());
        String description = Stream.of(problem.description(), problem.errorDescription())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("The service answered " + status + ".");
        String reason = problem.reason() == null ? problem.error() : problem.reason();
        String message = Stream.concat(Stream.of(description), fields).collect(Collectors.joining(" "));
        throw new RefusedException(status, reason, message);
    }

    private static Problem readProblem(String body) {
        try {
            Problem problem = JSON.fromJson(body, Problem.class);
            if (problem != null) return problem;
        } catch (JsonParseException notJson) {
            // A body in another format is a refusal without a reason.
        }
        return new Problem(null, null, null, null, null);
    }

    private static Duration retryAfter(HttpHeaders headers) {
        String seconds = headers.firstValue("Retry-After").orElse("");
        return seconds.matches("\\d{1,6}") ? Duration.ofSeconds(Long.parseLong(seconds)) : Duration.ZERO;
    }

    private String basic() {
        String credentials = urlEncode(settings.clientId()) + ":" + urlEncode(settings.clientSecret());
        return "Basic " + Base64.getEncoder().encodeToString(utf8(credentials));
    }

    private String save(String userId, Issued issued) {
        Instant now = Instant.now();
        Instant expiresAt = now.plusSeconds(Objects.requireNonNullElse(issued.expiresIn(), 7200L));
        pairs.put(userId, new Pair(userId, issued.accessToken(), issued.refreshToken(), expiresAt, now));
        return issued.accessToken();
    }

    private Object lockOf(String userId) {
        return locks.computeIfAbsent(userId, id -> new Object());
    }

    private static Duration backoff(int attempt) {
        return Duration.ofMillis((100L << attempt) + ThreadLocalRandom.current().nextLong(200L << attempt));
    }

    private static void sleep(Duration pause) {
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static String sign(String secret, String prefix, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret), mac.getAlgorithm()));
            mac.update(utf8(prefix));
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String urlEncode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String base64Url(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String utf8(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
