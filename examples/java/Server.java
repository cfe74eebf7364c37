import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/** The pages of a shop that pays its sellers through Plainbook. README.md says how to start it. */
final class Server {
    private static final List<String> FIELDS = List.of(
            "first_name", "last_name", "date_of_birth", "ssn", "phone", "email",
            "address1", "city", "state", "postal_code");
    private static final String CUSTOMERS = "/v1/customers/";
    private static final int BODY_BYTES_MAX = 64 * 1024;
    private static final BigDecimal AMOUNT_MAX = new BigDecimal(1_000_000);
    private static final DateTimeFormatter UTC_MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final String HEAD = """
            <!doctype html><html lang=en><meta name=viewport content="width=device-width">
            <style>body { font: 1rem/1.5 sans-serif; margin: 1rem } label { display: block } td { padding-right: 1rem }</style>
            """;
    private static final String OUTDATED =
            "<p>We can't update these payments right now. This page may be out of date.</p>";
    private static final String AUTHORIZE =
            "<form method=post action=/authorize><button>Authorize the shop</button></form>";
    private static final String DISCONNECT = "<form method=post action=/disconnect><button>Disconnect</button></form>";
    private static final String NO_ACCOUNT = "<p>You have no account yet. It opens when you're approved.</p>";
    private static final String LINKS = "<p><a href=/accounts>Accounts</a> <a href=/payments>Payments</a>";

    private record Settings(String officePassword, String customerEndpointSecret, List<String> redirectUris) {}

    /** A request and its sender. The customer is null until they sign in. */
    private record Visitor(
            String session, Shop.Customer customer, String ipAddress, Headers headers, URI address, byte[] body) {
        Shop.Customer signedIn() {
            if (customer == null) throw new Plainbook.RefusedException(403, null, "Please sign in.");
            return customer;
        }

        void requireBusiness() {
            if (!signedIn().id().equals(Shop.BUSINESS)) {
                throw new Plainbook.RefusedException(403, null, "Please sign in to the office.");
            }
        }

        Map<String, String> form() {
            return decode(new String(body, StandardCharsets.UTF_8));
        }

        String value(String name) {
            String value = form().getOrDefault(name, "").strip();
            if (value.isEmpty()) throw new Shop.BadFormException("Please fill in " + name.replace('_', ' ') + ".");
            return value;
        }

        /** The form's own id: the same each time the form is submitted. */
        String key() {
            String key = form().getOrDefault("key", "");
            if (!key.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")) {
                throw new Shop.BadFormException("Please reload the page and try again.");
            }
            return key;
        }
    }

    private record Answer(int status, String type, String body, Map<String, String> headers) {
        static Answer page(int status, String title, String content) {
            String html = HEAD + "<title>%1$s</title><h1>%1$s</h1>".formatted(title) + content;
            return new Answer(status, "text/html; charset=utf-8", html, Map.of());
        }

        static Answer redirect(String address) {
            return new Answer(303, "text/html", "", Map.of("Location", address));
        }

        static Answer empty(int status) {
            return new Answer(status, "text/plain", "", Map.of());
        }
    }

    private interface Action {
        Answer run(Visitor visitor);
    }

    private final Settings settings;
    private final Shop shop;
    private final Map<String, Action> actions = Map.ofEntries(
            Map.entry("GET /", this::home),
            Map.entry("POST /sign-up", this::signUp),
            Map.entry("POST /sign-in", this::signIn),
            Map.entry("POST /authorize", this::authorize),
            Map.entry("GET /callback", this::callback),
            Map.entry("GET /accounts", this::accounts),
            Map.entry("POST /disconnect", this::disconnect),
            Map.entry("GET /payments", this::payments),
            Map.entry("POST /payments", this::pay),
            Map.entry("POST /webhooks", this::receiveWebhook));

    private Server(Settings settings, Shop shop) {
        this.settings = settings;
        this.shop = shop;
    }

    public static void main(String[] arguments) throws IOException {
        // Amounts are in dollars, whatever this machine's locale.
        Locale.setDefault(Locale.US);
        if (arguments.length != 1) exit("usage: java -cp build:gson.jar Server settings.json");
        String text = Files.readString(Path.of(arguments[0]));
        var settings = Plainbook.JSON.fromJson(text, Settings.class);
        if (settings.officePassword() == null) exit("Add \"office_password\" to " + arguments[0] + ".");
        var serviceSettings = Plainbook.JSON.fromJson(text, Plainbook.Settings.class);
        Shop shop = new Shop(Plainbook.JSON.fromJson(text, Shop.Settings.class), serviceSettings);
        URI address = URI.create(settings.redirectUris().get(0));
        // Seconds until a connection whose request stalls is closed.
        System.setProperty("sun.net.httpserver.maxReqTime", "10");
        HttpServer http = HttpServer.create(new InetSocketAddress(address.getHost(), address.getPort()), 0);
        http.createContext("/", new Server(settings, shop)::handle);
        http.setExecutor(Executors.newCachedThreadPool());
        http.start();
        shop.startJobs();
        System.out.println("The shop is open at " + address.resolve("/"));
    }

    private static void exit(String message) {
        System.err.println(message);
        System.exit(1);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer = answer(exchange);
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Type", answer.type());
            headers.set("Cache-Control", "no-store");
            answer.headers().forEach(headers::set);
            exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** Runs an action for the signed-in customer, and turns errors into pages. */
    private Answer answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
        if (body.length > BODY_BYTES_MAX) return Answer.empty(413);
        Headers headers = exchange.getRequestHeaders();
        String session = sessionIn(headers);
        Shop.Customer customer = shop.customerOf(session).orElse(null);
        String ipAddress = exchange.getRemoteAddress().getAddress().getHostAddress();
        var visitor = new Visitor(session, customer, ipAddress, headers, exchange.getRequestURI(), body);
        String path = visitor.address().getPath();
        try {
            if (path.startsWith(CUSTOMERS)) return sendCustomer(visitor, path.substring(CUSTOMERS.length()));
            String name = exchange.getRequestMethod() + " " + path;
            return actions.getOrDefault(name, other -> Answer.page(404, "Page not found", LINKS)).run(visitor);
        } catch (Shop.BadFormException error) {
            return Answer.page(400, "Please check the form", "<p>" + escape(error.getMessage()) + "</p>");
        } catch (Plainbook.RefusedException refused) {
            String text = "<p>" + escape(refused.getMessage()) + "</p>";
            return Answer.page(refused.status, "That didn't work", text + AUTHORIZE);
        } catch (Plainbook.NotConnectedException notConnected) {
            String text = "<p>Please authorize the shop again.</p>";
            return Answer.page(403, "The connection has ended", text + AUTHORIZE);
        } catch (Plainbook.UnknownOutcomeException unknown) {
            String text = "<p>Please go back and try again. Nothing is done twice.</p>";
            return Answer.page(503, "The payment service didn't answer", text);
        } catch (RuntimeException error) {
            error.printStackTrace();
            return Answer.page(500, "Something went wrong", LINKS);
        }
    }

    private Answer home(Visitor visitor) {
        Shop.Customer customer = visitor.customer();
        if (customer != null) {
            String text = "<p>Your status: " + escape(customer.status()) + ".</p>";
            return Answer.page(200, "Hello, " + escape(customer.firstName()), text + AUTHORIZE + LINKS);
        }
        String inputs = FIELDS.stream().map(name -> input(name, "text")).collect(Collectors.joining());
        return Answer.page(200, "Sell at The Shop", """
                <form method=post action=/sign-up>%s%s<button>Sign up</button></form>
                <h2>Office</h2>
                <form method=post action=/sign-in>%s<button>Sign in</button></form>
                """.formatted(newKey(), inputs, input("password", "password")));
    }

    private Answer signUp(Visitor visitor) {
        var person = FIELDS.stream().collect(Collectors.toMap(name -> name, visitor::value));
        return startSession(shop.signUp(visitor.key(), person, visitor.ipAddress()));
    }

    private Answer signIn(Visitor visitor) {
        if (!Plainbook.isEqual(visitor.value("password"), settings.officePassword())) {
            throw new Plainbook.RefusedException(403, null, "That password is wrong.");
        }
        return startSession(Shop.BUSINESS);
    }

    private Answer startSession(String customerId) {
        // SameSite keeps other sites' forms out. Add Secure behind HTTPS.
        String cookie = "session=" + shop.signIn(customerId) + "; HttpOnly; SameSite=Lax; Path=/";
        return new Answer(303, "text/html", "", Map.of("Location", "/", "Set-Cookie", cookie));
    }

    private Answer authorize(Visitor visitor) {
        return Answer.redirect(shop.startVisit(visitor.session(), visitor.signedIn()));
    }

    private Answer callback(Visitor visitor) {
        shop.finishVisit(visitor.session(), visitor.signedIn(), decode(visitor.address().getRawQuery()));
        return Answer.redirect("/accounts");
    }

    private Answer accounts(Visitor visitor) {
        String rows = shop.accounts(visitor.signedIn().userId()).stream()
                .map(account -> "<tr><td>%s<td>$%,.2f".formatted(escape(account.name()), account.availableBalance()))
                .collect(Collectors.joining("\n"));
        String table = rows.isEmpty() ? NO_ACCOUNT : "<table>" + rows + "</table>";
        return Answer.page(200, "Accounts", table + AUTHORIZE + DISCONNECT);
    }

    private Answer disconnect(Visitor visitor) {
        shop.disconnect(visitor.signedIn());
        return Answer.page(200, "You disconnected the shop", AUTHORIZE);
    }

    private Answer pay(Visitor visitor) {
        visitor.requireBusiness();
        String text = visitor.value("amount");
        BigDecimal amount = text.matches("\\d{1,7}(\\.\\d{1,2})?") ? new BigDecimal(text) : BigDecimal.ZERO;
        if (amount.signum() == 0 || amount.compareTo(AMOUNT_MAX) > 0) {
            throw new Shop.BadFormException("Enter an amount in dollars and cents, such as 10.00.");
        }
        shop.pay(visitor.key(), amount, visitor.value("customer_id"));
        return Answer.redirect("/payments");
    }

    private Answer payments(Visitor visitor) {
        visitor.requireBusiness();
        String notice = "";
        try {
            shop.readOpenPayments();
        } catch (Plainbook.UnknownOutcomeException error) {
            notice = OUTDATED;
        } catch (Plainbook.RefusedException | Plainbook.NotConnectedException error) {
            notice = OUTDATED + AUTHORIZE;
        }
        String sellers = shop.customers.all().stream()
                .filter(Shop.Customer::canBePaid)
                .map(seller -> "<option value=%s>%s %s".formatted(
                        seller.id(), escape(seller.firstName()), escape(seller.lastName())))
                .collect(Collectors.joining());
        String rows = shop.payments.all().stream()
                .map(payment -> "<tr><td>%s<td>$%,.2f<td>%s".formatted(
                        escape(payment.seller()), payment.request().amount(), escape(payment.status())))
                .collect(Collectors.joining("\n"));
        return Answer.page(200, "Payments", """
                %s<form method=post action=/payments>%s
                <label>Seller <select name=customer_id>%s</select></label>%s<button>Pay</button></form>
                <table>%s</table>
                """.formatted(notice, newKey(), sellers, input("amount", "text"), rows));
    }

    /** Called by the service for trusted authentication, before it answers our verification request. */
    private Answer sendCustomer(Visitor visitor, String customerId) {
        String authorization = String.valueOf(visitor.headers().getFirst("Authorization"));
        String secret = settings.customerEndpointSecret();
        if (secret == null || !Plainbook.isEqual(authorization, "Bearer " + secret)) return Answer.empty(401);
        return shop.customers.find(customerId).filter(customer -> customer.authenticatedAt() != null).map(customer -> {
            var fields = Map.of(
                    "customer_id", customer.id(),
                    "first_name", customer.firstName(),
                    "last_name", customer.lastName(),
                    "phone", customer.phone(),
                    "lastAuthenticationTime", UTC_MILLIS.format(customer.authenticatedAt()));
            return new Answer(200, "application/json", Plainbook.JSON.toJson(fields), Map.of());
        }).orElse(Answer.empty(404));
    }

    private Answer receiveWebhook(Visitor visitor) {
        Headers headers = visitor.headers();
        var event = shop.service.verifyWebhook(
                headers.getFirst("Webhook-Id"),
                headers.getFirst("Webhook-Timestamp"),
                headers.getFirst("Webhook-Signature"),
                visitor.body());
        event.ifPresent(shop::storeWebhook);
        return Answer.empty(event.isPresent() ? 204 : 401);
    }

    private static String sessionIn(Headers headers) {
        for (String cookie : String.valueOf(headers.getFirst("Cookie")).split(";")) {
            if (cookie.strip().startsWith("session=")) return cookie.strip().replaceFirst("^session=", "");
        }
        return "";
    }

    private static Map<String, String> decode(String encoded) {
        var values = new HashMap<String, String>();
        if (encoded == null) return values;
        for (String pair : encoded.split("&")) {
            String[] parts = pair.split("=", 2);
            if (parts.length == 2) values.put(urlDecode(parts[0]), urlDecode(parts[1]));
        }
        return values;
    }

    private static String urlDecode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new Shop.BadFormException("Please reload the page and try again.");
        }
    }

    private static String input(String name, String type) {
        String label = name.substring(0, 1).toUpperCase() + name.substring(1).replace('_', ' ');
        return "<label>%s <input name=%s type=%s required></label>%n".formatted(label, name, type);
    }

    private static String newKey() {
        return "<input type=hidden name=key value=" + UUID.randomUUID() + ">";
    }

    private static String escape(String text) {
        String tagless = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        return tagless.replace("\"", "&quot;").replace("'", "&#39;");
    }
}
