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

/** What the pages and the jobs do. */
final class Shop {
    static final String BUSINESS = "business";

    private static final Set<String> OPEN = Set.of("unknown", "active");
    private static final int JOBS_EVERY_SECONDS = 30;
    // With the key in it, a payment is found in the service's list even if its answer was lost.
    private static final String PAYOUT = "Payout ";

    record Settings(
            String businessUserId, String businessUserPhone, String baseUrl, String data, Integer renewAfterDays) {}

    record Customer(
            String id, String firstName, String lastName, String phone, Instant authenticatedAt,
            String intentId, String status, String userId, String accountId) {
        boolean canBePaid() {
            return !id.equals(BUSINESS) && "approved".equals(status) && accountId != null;
        }

        Customer signedIn(Instant at) {
            return new Customer(id, firstName, lastName, phone, at, intentId, status, userId, accountId);
        }

        Customer withUser(String status, String userId) {
            return new Customer(id, firstName, lastName, phone, authenticatedAt, intentId, status, userId, accountId);
        }

        Customer withAccount(String accountId) {
            return new Customer(id, firstName, lastName, phone, authenticatedAt, intentId, status, userId, accountId);
        }
    }

    record Session(String customerId) {}

    record StartedVisit(String session, String verifier) {}

    record BookRequest(String name, BigDecimal amount, String sourceId, String destinationId) {}

    record Payment(String key, String seller, String status, Instant notBefore, BookRequest request) {
        boolean isOpen() {
            return OPEN.contains(status);
        }

        Payment withStatus(String status) {
            return new Payment(key, seller, status, notBefore, request);
        }

        Payment notBefore(Instant time) {
            return new Payment(key, seller, status, time, request);
        }
    }

    record Webhook(Plainbook.Event event, boolean isDone) {}

    record Account(String id, String name, BigDecimal availableBalance) {}

    private record Accounts(List<Account> accounts) {}

    private record Intent(String id, String status, String userId, Map<String, String> metadata) {
        Intent {
            // An intent that another program created may have none.
            metadata = Objects.requireNonNullElse(metadata, Map.of());
        }
    }

    private record Routine(String id, String name, String status) {}

    private record Routines(List<Routine> routines) {}

    private record Voided(Routine routine) {}

    private record Transfer(String routineId) {}

    private static final class PairTable extends Table<Plainbook.Pair> implements Plainbook.Pairs {
        PairTable(Path folder) {
            super(folder, Plainbook.Pair.class);
        }
    }

    /** A sentence for the person who sent the form. */
    static final class BadForm extends RuntimeException {
        BadForm(String message) {
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

    Shop(Settings settings, Plainbook.Settings ofService) {
        this.settings = settings;
        Path folder = Path.of(Objects.requireNonNullElse(settings.data(), "data"));
        customers = new Table<>(folder, Customer.class);
        payments = new Table<>(folder, Payment.class);
        sessions = new Table<>(folder, Session.class);
        visits = new Table<>(folder, StartedVisit.class);
        webhooks = new Table<>(folder, Webhook.class);
        service = new Plainbook(ofService, new PairTable(folder));
        String phone = settings.businessUserPhone();
        customers.add(BUSINESS, new Customer(
                BUSINESS, "The", "Shop", phone, null, null, "approved", settings.businessUserId(), null));
    }

    /** Opens a session for a person who has just authenticated; your sign-in asks for a second factor first. */
    String signIn(String customerId) {
        customers.change(customerId, customer -> customer.signedIn(Instant.now()));
        String session = Plainbook.randomText();
        sessions.put(session, new Session(customerId));
        return session;
    }

    Optional<Customer> customerOf(String session) {
        return sessions.find(session).flatMap(signedIn -> customers.find(signedIn.customerId()));
    }

    /** Registers the person of a form. Sending the form again makes no second intent. */
    String signUp(String key, Map<String, String> person, String ipAddress) {
        String customerId = HexFormat.of().formatHex(Plainbook.sha256(key), 0, 16);
        var body = new HashMap<String, Object>(person);
        body.put("ip_address", ipAddress);
        // Only our own id: never put what people type into metadata.
        body.put("metadata", Map.of("customer_id", customerId));
        Intent created = service.call(Plainbook.Call.post("/v1/user_intent", body).withKey(key), Intent.class);
        customers.add(customerId, new Customer(
                customerId, person.get("first_name"), person.get("last_name"), person.get("phone"), null,
                created.id(), created.status(), null, null));
        // The webhook may have come first.
        readIntent(created.id());
        return customerId;
    }

    String startVisit(String session, Customer customer) {
        Plainbook.Visit visit = customer.userId() == null
                ? service.startVisit(customer.id(), "user_intent_id", customer.intentId())
                : service.startVisit(customer.id(), "user_id", customer.userId());
        visits.put(visit.state(), new StartedVisit(session, visit.verifier()));
        return visit.address();
    }

    /** Takes the answer at the redirect address: once, from this service, in the browser that left. */
    void finishVisit(String session, Customer customer, Map<String, String> answer) {
        StartedVisit visit = visits.take(answer.get("state"))
                .filter(started -> started.session().equals(session) && settings.baseUrl().equals(answer.get("iss")))
                .orElseThrow(() -> new Plainbook.Refused(400, null, "We can't match this to a request from you."));
        if (!answer.containsKey("code")) throw new Plainbook.Refused(403, null, "You didn't authorize the shop.");
        Plainbook.User user = service.connect(answer.get("code"), visit.verifier(), authorized ->
                customer.userId() == null
                        ? customer.id().equals(authorized.metadata().get("customer_id"))
                        : customer.userId().equals(authorized.id()));
        customers.change(customer.id(), known -> known.withUser(known.status(), user.id()));
        readUser(user.id());
    }

    List<Account> accounts(String userId) {
        return service.callAs(userId, Plainbook.Call.get("/v1/accounts"), Accounts.class).accounts();
    }

    /** Stores a payment with its key before it is sent. The key is the form's, so it is sent once. */
    void pay(String key, BigDecimal amount, String sellerId) {
        Customer seller = customers.find(sellerId)
                .filter(Customer::canBePaid)
                .orElseThrow(() -> new BadForm("Choose an approved seller who authorized the shop."));
        String source = customers.find(BUSINESS).map(Customer::accountId).orElseThrow(Plainbook.NotConnected::new);
        var request = new BookRequest(PAYOUT + key, amount, source, seller.accountId());
        payments.add(key, new Payment(key, seller.firstName(), "unknown", Instant.EPOCH, request));
        sendUnknown();
    }

    /** Sends each payment whose outcome is unknown, one at a time, always with its own key. */
    private synchronized void sendUnknown() {
        for (Payment payment : payments.all()) {
            if (payment.status().equals("unknown") && !payment.notBefore().isAfter(Instant.now())) send(payment);
        }
    }

    private void send(Payment payment) {
        try {
            try {
                record(book("", payment.request(), payment.key(), Routine.class));
            } catch (Plainbook.Refused refused) {
                // It may be about this request alone; voiding the key settles every earlier one.
                Routine routine = book("/void", null, payment.key(), Voided.class).routine();
                if (routine != null) record(routine);
                else payments.change(payment.key(), known -> known.withStatus("not made: " + refused.getMessage()));
            }
        } catch (Plainbook.Unknown unknown) {
            // The jobs send it again, with its key.
            payments.change(payment.key(), known -> known.notBefore(Instant.now().plus(unknown.retryAfter)));
        }
    }

    private <T> T book(String path, Object body, String key, Class<T> type) {
        var call = Plainbook.Call.post("/v1/routines/book" + path, body).withKey(key);
        return service.callAs(settings.businessUserId(), call, type);
    }

    /** Takes over what the service says about a payment. A final status stays. */
    private void record(Routine routine) {
        boolean isKnown = payments.change(
                routine.name().replaceFirst(PAYOUT, ""),
                payment -> payment.isOpen() ? payment.withStatus(routine.status()) : payment);
        if (!isKnown) System.err.println("Routine " + routine.id() + " is none of our payments: look into it.");
    }

    /** Compares open payments with the service's list: webhooks and answers can get lost. */
    void heal() {
        if (payments.all().stream().noneMatch(Payment::isOpen)) return;
        readAsBusiness("/v1/routines?limit=100", Routines.class).routines().forEach(this::record);
    }

    /** Stores a genuine webhook, once; the jobs read its record after the answer. */
    void takeWebhook(Plainbook.Event event) {
        if (webhooks.add(event.webhookId(), new Webhook(event, false))) jobs.execute(() -> run(this::processWebhooks));
    }

    private void processWebhooks() {
        for (Webhook webhook : webhooks.all()) {
            if (!webhook.isDone()) run(() -> processWebhook(webhook.event()));
        }
    }

    private void processWebhook(Plainbook.Event event) {
        try {
            readRecord(event);
        } catch (Plainbook.Refused | Plainbook.NotConnected error) {
            System.err.println("Webhook " + event.webhookId() + " changed nothing: " + error.getMessage());
        }
        webhooks.put(event.webhookId(), new Webhook(event, true));
    }

    /** Reads what an event is about: webhooks arrive in any order, and none has a status. */
    private void readRecord(Plainbook.Event event) {
        switch (event.webhookType()) {
            case "user_intent_updated" -> readIntent(event.resourceId());
            case "user_updated" -> readUser(event.userId());
            case "routine_updated" -> readRoutine(event.resourceId());
            case "transfer_updated" ->
                    readRoutine(readAsBusiness("/v1/transfers/" + event.resourceId(), Transfer.class).routineId());
            default -> { /* A type that came later. */ }
        }
    }

    /** One at a time, so that no older answer replaces a newer one. */
    private void readIntent(String id) {
        synchronized (reading) {
            Intent intent = service.call(Plainbook.Call.get("/v1/user_intent/" + id), Intent.class);
            // Once there is a user, the user's own status counts.
            customers.change(intent.metadata().get("customer_id"), customer ->
                    customer.userId() == null ? customer.withUser(intent.status(), intent.userId()) : customer);
        }
    }

    /** Stores a user's status and, once there is one, the account to pay to. */
    private void readUser(String id) {
        synchronized (reading) {
            var user = service.callAs(id, Plainbook.Call.get("/v1/user"), Plainbook.User.class);
            Optional<String> accountId = accounts(id).stream().map(Account::id).findFirst();
            for (Customer customer : customers.all()) {
                if (!id.equals(customer.userId())) continue;
                customers.change(customer.id(), known ->
                        known.withUser(user.status(), id).withAccount(accountId.orElse(known.accountId())));
            }
        }
    }

    private void readRoutine(String id) {
        record(readAsBusiness("/v1/routines/" + id, Routine.class));
    }

    private <T> T readAsBusiness(String path, Class<T> type) {
        return service.callAs(settings.businessUserId(), Plainbook.Call.get(path), type);
    }

    private void renew() {
        service.renew(Duration.ofDays(Objects.requireNonNullElse(settings.renewAfterDays(), 7)));
    }

    void startJobs() {
        List<Runnable> all = List.of(this::processWebhooks, this::sendUnknown, this::heal, this::renew);
        jobs.scheduleWithFixedDelay(() -> all.forEach(Shop::run), 0, JOBS_EVERY_SECONDS, TimeUnit.SECONDS);
    }

    /** Runs a job, or a part of one. Whatever fails is run again in the next round, and holds up nothing else. */
    private static void run(Runnable job) {
        try {
            job.run();
        } catch (RuntimeException failure) {
            System.err.println("A job will try again: " + failure);
        }
    }
}
