import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What the pages and the jobs do. */
final class Shop {
    static final String BUSINESS = "business";

    // A payment with any other status is open, even a status that we don't know.
    private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled");
    private static final String NOT_MADE = "not made: ";
    private static final Set<String> DECIDED = Set.of("approved", "rejected");
    private static final int JOBS_EVERY_SECONDS = 30;
    // A payment's name contains its key, so the service's list identifies one whose answer was lost.
    private static final String PAYOUT = "Payout ";
    private static final String ROUTINES = "/v1/routines?limit=100";

    record Settings(
            String businessUserId, String businessUserPhone, String baseUrl, String data, Integer renewAfterDays,
            Integer readPeopleAfterMinutes) {}

    record Customer(
            String id, String firstName, String lastName, String phone, Instant authenticatedAt,
            String intentId, String status, String userId, String accountId, Instant readAt) {
        Customer {
            // A file written by an earlier version has none.
            readAt = Objects.requireNonNullElse(readAt, Instant.EPOCH);
        }

        boolean canBePaid() {
            return !id.equals(BUSINESS) && "approved".equals(status) && accountId != null;
        }

        Customer authenticatedAt(Instant time) {
            return new Customer(id, firstName, lastName, phone, time, intentId, status, userId, accountId, readAt);
        }

        Customer readAt(Instant time) {
            return new Customer(
                    id, firstName, lastName, phone, authenticatedAt, intentId, status, userId, accountId, time);
        }

        Customer withStatus(String status) {
            return new Customer(
                    id, firstName, lastName, phone, authenticatedAt, intentId, status, userId, accountId, readAt);
        }

        Customer withUser(String userId) {
            return new Customer(
                    id, firstName, lastName, phone, authenticatedAt, intentId, status, userId, accountId, readAt);
        }

        Customer withAccount(String accountId) {
            return new Customer(
                    id, firstName, lastName, phone, authenticatedAt, intentId, status, userId, accountId, readAt);
        }
    }

    record Session(String customerId) {}

    record StartedVisit(String session, String verifier) {}

    record BookRequest(String name, BigDecimal amount, String sourceId, String destinationId) {}

    record Payment(
            String key, String seller, String status, String routineId, Instant notBefore, BookRequest request) {
        boolean isOpen() {
            return !ENDED.contains(status) && !status.startsWith(NOT_MADE);
        }

        Payment withStatus(String status, String routineId) {
            return new Payment(key, seller, status, routineId, notBefore, request);
        }

        Payment notBefore(Instant time) {
            return new Payment(key, seller, status, routineId, time, request);
        }
    }

    record Webhook(Plainbook.Event event, boolean isDone) {}

    record Account(String id, String name, BigDecimal availableBalance) {}

    private record Accounts(List<Account> accounts) {}

    private record Intent(String id, String status, Map<String, String> metadata) {
        Intent {
            // An intent created by another program may have none.
            metadata = Objects.requireNonNullElse(metadata, Map.of());
        }
    }

    private record Routine(String id, String name, String status) {
        String key() {
            return keyIn(name);
        }
    }

    private record Routines(List<JsonObject> routines, String next) {}

    private record Voided(Routine routine) {}

    private record Transfer(String routineId) {}

    private static final class PairTable extends Table<Plainbook.Pair> implements Plainbook.TokenStore {
        PairTable(Path folder) {
            super(folder, Plainbook.Pair.class);
        }
    }

    /** A message for the person who submitted the form. */
    static final class BadFormException extends RuntimeException {
        BadFormException(String message) {
            super(message);
        }
    }

    final Plainbook service;
    final Table<Customer> customers;
    final Table<Payment> payments;
    private final Table<Session> sessions;
    private final Table<StartedVisit> visits;
    private final Table<Webhook> webhooks;
    private final Settings settings;
    private final Object reading = new Object();
    private final ScheduledExecutorService jobs = Executors.newSingleThreadScheduledExecutor();

    Shop(Settings settings, Plainbook.Settings serviceSettings) {
        this.settings = settings;
        Path folder = Path.of(Objects.requireNonNullElse(settings.data(), "data"));
        customers = new Table<>(folder, Customer.class);
        payments = new Table<>(folder, Payment.class);
        sessions = new Table<>(folder, Session.class);
        visits = new Table<>(folder, StartedVisit.class);
        webhooks = new Table<>(folder, Webhook.class);
        service = new Plainbook(serviceSettings, new PairTable(folder));
        String phone = settings.businessUserPhone();
        Customer business = new Customer(
                BUSINESS, "The", "Shop", phone, null, null, "approved", settings.businessUserId(), null, null);
        customers.add(BUSINESS, business);
        // The settings may have changed since.
        customers.change(BUSINESS, known ->
                business.authenticatedAt(known.authenticatedAt()).withAccount(known.accountId()));
    }

    /** Starts a session for a person who has just authenticated. Your sign-in requires a second factor. */
    String signIn(String customerId) {
        customers.change(customerId, customer -> customer.authenticatedAt(Instant.now()));
        String session = Plainbook.randomText();
        sessions.put(session, new Session(customerId));
        return session;
    }

    Optional<Customer> customerOf(String session) {
        return sessions.find(session).flatMap(signedIn -> customers.find(signedIn.customerId()));
    }

    /** Registers a person. Submitting the form again creates no second intent. */
    String signUp(String key, Map<String, String> person, String ipAddress) {
        String customerId = HexFormat.of().formatHex(Plainbook.sha256(key), 0, 16);
        var body = new HashMap<String, Object>(person);
        body.put("ip_address", ipAddress);
        // Only our own id: never put what people type into metadata.
        body.put("metadata", Map.of("customer_id", customerId));
        Intent created = service.call(Plainbook.Call.post("/v1/user_intent", body).withKey(key), Intent.class);
        customers.add(customerId, new Customer(
                customerId, person.get("first_name"), person.get("last_name"), person.get("phone"), null,
                created.id(), created.status(), null, null, Instant.now()));
        // Its webhook may have arrived first.
        syncIntent(created.id());
        return customerId;
    }

    String startVisit(String session, Customer customer) {
        Plainbook.Visit visit = customer.userId() == null
                ? service.startVisit(customer.id(), "user_intent_id", customer.intentId())
                : service.startVisit(customer.id(), "user_id", customer.userId());
        visits.put(visit.state(), new StartedVisit(session, visit.verifier()));
        return visit.address();
    }

    /** Handles the redirect back: once, from this service, in the same browser session. */
    void finishVisit(String session, Customer customer, Map<String, String> query) {
        StartedVisit visit = visits.take(query.get("state"))
                .filter(started -> started.session().equals(session) && settings.baseUrl().equals(query.get("iss")))
                .orElseThrow(() -> new Plainbook.RefusedException(
                        400, null, "We can't match this to a request from you."));
        if (!query.containsKey("code")) {
            throw new Plainbook.RefusedException(403, null, "You didn't authorize the shop.");
        }
        Plainbook.User user = service.connect(query.get("code"), visit.verifier(), authorized ->
                customer.userId() == null
                        ? customer.id().equals(authorized.metadata().get("customer_id"))
                        : customer.userId().equals(authorized.id()));
        customers.change(customer.id(), known -> known.withUser(user.id()));
        syncUser(user.id());
    }

    void disconnect(Customer customer) {
        if (customer.userId() != null) service.disconnect(customer.userId());
        syncCustomer(customer);
    }

    List<Account> accounts(String userId) {
        return service.callAs(userId, Plainbook.Call.get("/v1/accounts"), Accounts.class).accounts();
    }

    /** Stores a payment before sending it. Its key is the form's, so submitting the form again pays once. */
    void pay(String key, BigDecimal amount, String sellerId) {
        Customer seller = customers.find(sellerId)
                .filter(Customer::canBePaid)
                .orElseThrow(() -> new BadFormException("Choose an approved seller who authorized the shop."));
        String source = customers.find(BUSINESS)
                .map(Customer::accountId)
                .orElseThrow(Plainbook.NotConnectedException::new);
        var request = new BookRequest(PAYOUT + key, amount, source, seller.accountId());
        // Check the connection before storing, or a job would send the payment later.
        service.accessToken(settings.businessUserId());
        if (payments.add(key, new Payment(key, seller.firstName(), "unknown", null, Instant.EPOCH, request))) {
            run("Payment " + key, () -> send(key));
        }
    }

    /** Sends a payment that has no routine yet, one at a time, always with the same key. */
    private synchronized void send(String key) {
        Payment payment = payments.find(key).orElseThrow();
        // The service may use the word "unknown" too.
        boolean isUnknown = payment.status().equals("unknown") && payment.routineId() == null;
        if (!isUnknown || payment.notBefore().isAfter(Instant.now())) return;
        try {
            try {
                updatePayment(book("", payment.request(), key, Routine.class));
            } catch (Plainbook.RefusedException refused) {
                // An earlier try may have succeeded. Voiding the key returns its routine, or rules it out.
                Routine routine = book("/void", null, key, Voided.class).routine();
                if (routine != null) updatePayment(routine);
                else payments.change(key, known -> known.withStatus(NOT_MADE + refused.getMessage(), null));
            }
        } catch (Plainbook.UnknownOutcomeException unknown) {
            // A job sends it again.
            payments.change(key, known -> known.notBefore(Instant.now().plus(unknown.retryAfter)));
        }
    }

    private <T> T book(String path, Object body, String key, Class<T> type) {
        var call = Plainbook.Call.post("/v1/routines/book" + path, body).withKey(key);
        return service.callAs(settings.businessUserId(), call, type);
    }

    /** Copies a routine's status to its payment. A final status never changes. */
    private void updatePayment(Routine routine) {
        String status = Objects.requireNonNull(routine.status(), "it has no status");
        boolean isKnown = payments.change(
                routine.key(), payment -> payment.isOpen() ? payment.withStatus(status, routine.id()) : payment);
        if (!isKnown) System.err.println("Routine " + routine.id() + " isn't one of our payments. Investigate it.");
    }

    private static String keyIn(String name) {
        return name.replaceFirst("^" + PAYOUT, "");
    }

    /** Reads the service's list, newest first, until each open payment is found. Returns the missing keys. */
    Set<String> readOpenPayments() {
        var missing = payments.all().stream().filter(Payment::isOpen).map(Payment::key).collect(Collectors.toSet());
        String path = ROUTINES;
        while (!missing.isEmpty() && path != null) {
            Routines page = readAsBusiness(path, Routines.class);
            for (JsonObject item : page.routines()) {
                run("Routine " + item.get("id"), () -> {
                    // First, because the rest may be unreadable.
                    missing.remove(keyIn(item.get("name").getAsString()));
                    updatePayment(Plainbook.JSON.fromJson(item, Routine.class));
                });
            }
            path = page.next() == null ? null : ROUTINES + "&starting_after=" + page.next();
        }
        return missing;
    }

    /** Sends what the list lacks. The list comes first: the service may forget a key after 72 hours. */
    private void settlePayments() {
        for (String key : readOpenPayments()) run("Payment " + key, () -> send(key));
    }

    /** Reads each person once an hour, because webhooks can get lost. */
    private void readPeople() {
        int minutes = Objects.requireNonNullElse(settings.readPeopleAfterMinutes(), 60);
        Instant readBefore = Instant.now().minus(Duration.ofMinutes(minutes));
        for (Customer customer : customers.all()) {
            if (!customer.readAt().isAfter(readBefore)) run("Customer " + customer.id(), () -> readPerson(customer));
        }
    }

    private void readPerson(Customer customer) {
        try {
            syncCustomer(customer);
        } catch (Plainbook.RefusedException refused) {
            System.err.println("Customer " + customer.id() + " wasn't read: " + refused.getMessage());
        }
        customers.change(customer.id(), known -> known.readAt(Instant.now()));
    }

    /** Reads the user, or before the person has authorized, an intent without a decision. */
    private void syncCustomer(Customer customer) {
        if (customer.userId() != null) syncUser(customer.userId());
        else if (!DECIDED.contains(customer.status())) syncIntent(customer.intentId());
    }

    /** Stores a verified webhook, once. A job reads its record after we have answered. */
    void storeWebhook(Plainbook.Event event) {
        if (webhooks.add(event.webhookId(), new Webhook(event, false))) jobs.execute(this::processWebhooks);
    }

    private void processWebhooks() {
        for (Webhook webhook : webhooks.all()) {
            if (!webhook.isDone()) run("Webhook " + webhook.event().webhookId(), () -> processWebhook(webhook.event()));
        }
    }

    private void processWebhook(Plainbook.Event event) {
        try {
            readRecord(event);
        } catch (Plainbook.RefusedException | Plainbook.NotConnectedException error) {
            System.err.println("Webhook " + event.webhookId() + " changed nothing: " + error.getMessage());
        }
        webhooks.put(event.webhookId(), new Webhook(event, true));
    }

    /** Reads an event's record, because webhooks arrive in any order and carry no status. */
    private void readRecord(Plainbook.Event event) {
        switch (event.webhookType()) {
            case "user_intent_updated" -> syncIntent(event.resourceId());
            case "user_updated" -> syncUser(event.userId());
            case "routine_updated" -> readRoutine(event.resourceId());
            case "transfer_updated" ->
                    readRoutine(readAsBusiness("/v1/transfers/" + event.resourceId(), Transfer.class).routineId());
            default -> { /* A newer type. */ }
        }
    }

    /** Stores an intent's status. The lock keeps an older answer from replacing a newer one. */
    private void syncIntent(String id) {
        synchronized (reading) {
            Intent intent = service.call(Plainbook.Call.get("/v1/user_intent/" + id), Intent.class);
            // Once the person has authorized, the user's status counts.
            customers.change(intent.metadata().get("customer_id"), customer ->
                    customer.userId() == null ? customer.withStatus(intent.status()) : customer);
        }
    }

    /** Stores a user's status, unknown once disconnected, and once it exists, the account to pay. */
    private void syncUser(String id) {
        synchronized (reading) {
            try {
                var user = service.callAs(id, Plainbook.Call.get("/v1/user"), Plainbook.User.class);
                Optional<String> accountId = accounts(id).stream().map(Account::id).findFirst();
                changeUser(id, known ->
                        known.withStatus(user.status()).withAccount(accountId.orElse(known.accountId())));
            } catch (Plainbook.NotConnectedException disconnected) {
                changeUser(id, known -> known.withStatus("unknown"));
            }
        }
    }

    private void changeUser(String id, UnaryOperator<Customer> change) {
        for (Customer customer : customers.all()) {
            if (id.equals(customer.userId())) customers.change(customer.id(), change);
        }
    }

    private void readRoutine(String id) {
        updatePayment(readAsBusiness("/v1/routines/" + id, Routine.class));
    }

    private <T> T readAsBusiness(String path, Class<T> type) {
        return service.callAs(settings.businessUserId(), Plainbook.Call.get(path), type);
    }

    private void renew() {
        Duration idle = Duration.ofDays(Objects.requireNonNullElse(settings.renewAfterDays(), 7));
        for (Plainbook.Pair pair : service.idlePairs(idle)) {
            run("Renewal of user " + pair.userId(), () -> service.refresh(pair.userId(), pair.accessToken()));
        }
    }

    void startJobs() {
        jobs.scheduleWithFixedDelay(this::runJobs, 0, JOBS_EVERY_SECONDS, TimeUnit.SECONDS);
    }

    private void runJobs() {
        run("Processing webhooks", this::processWebhooks);
        run("Settling payments", this::settlePayments);
        run("Reading people", this::readPeople);
        run("Renewing tokens", this::renew);
    }

    /** Runs a job or a part of one. A failure is retried in the next round and doesn't block the others. */
    private static void run(String name, Runnable job) {
        try {
            job.run();
        } catch (RuntimeException failure) {
            System.err.println(name + " failed and will be retried: " + failure);
        }
    }
}
