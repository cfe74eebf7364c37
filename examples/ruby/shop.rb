# frozen_string_literal: true

# A shop that pays its sellers through Plainbook: `ruby shop.rb settings.json`. README.md says how to start it.

require "digest"
require "erb"
require "json"
require "openssl"
require "pstore"
require "securerandom"
require "time"
require "uri"
require "webrick"
require_relative "plainbook"

BUSINESS = "business"
FIELDS = %i[first_name last_name date_of_birth ssn phone email address1 city state postal_code].freeze
# A payment with any other status is open, even a status that we don't know.
ENDED = %w[completed failed cancelled].freeze
NOT_MADE = "not made: "
DECIDED = %w[approved rejected].freeze
KEY = /\A\h{8}(-\h{4}){3}-\h{12}\z/
AMOUNT = /\A\d{1,7}(\.\d{1,2})?\z/
AMOUNT_MAX = 1_000_000
ROUTINES = "/v1/routines?limit=100"
BODY_BYTES_MAX = 64 * 1024
JOBS_EVERY_SECONDS = 30

# A message for the person who submitted the form.
class BadFormError < StandardError; end

# Documents by kind and id, in a file. Encrypt the tokens outside a sandbox.
class Store
  def initialize(path)
    @file = PStore.new(path, true)
    # A new file replaces the old one, so a crash corrupts neither.
    @file.ultra_safe = true
  end

  def get(kind, id) = read(kind)[id]
  def all(kind) = read(kind).values
  def put(kind, id, document) = write(kind) { |documents| documents[id] = document }

  # Deletes a document and returns it. Only one caller gets it.
  def take(kind, id) = write(kind) { |documents| documents.delete(id) }

  # Adds a document if there is none, and returns whether it did.
  def add(kind, id, document) = write(kind) { |documents| documents.key?(id) ? nil : documents[id] = document }

  # Merges the block's result into a document, if it exists.
  def change(kind, id) = write(kind) { |documents| documents[id]&.merge!(yield(documents[id])) }

  private

  def read(kind) = @file.transaction(true) { @file.fetch(kind, {}) }
  def write(kind) = @file.transaction { yield(@file[kind] ||= {}) }
end

# What the pages and the jobs do.
class Shop
  attr_reader :settings, :store, :service

  def initialize(settings)
    @settings = settings
    @store = Store.new(settings.fetch(:data, "shop.pstore"))
    @service = Plainbook.new(settings, store)
    @business_id = settings[:business_user_id]
    @sending = Mutex.new
    @reading = Mutex.new
    @work = Queue.new
    store.add(:customer, BUSINESS, { id: BUSINESS, first_name: "The", last_name: "Shop", status: "approved" })
    store.change(:customer, BUSINESS) { { user_id: @business_id, phone: settings[:business_user_phone] } }
  end

  # Starts a session for a person who has just authenticated. Your sign-in requires a second factor.
  def sign_in(customer_id)
    store.change(:customer, customer_id) { { authenticated_at: Time.now.utc.iso8601(3) } }
    session = SecureRandom.urlsafe_base64(32)
    store.put(:session, session, { customer_id: })
    session
  end

  # Registers a person. Submitting the form again creates no second intent.
  def sign_up(key, person, ip_address)
    customer_id = Digest::SHA256.hexdigest(key)[0, 32]
    # Only our own id: never put what people type into metadata.
    intent = { **person, ip_address:, metadata: { customer_id: } }
    created = service.call(:post, "/v1/user_intent", intent, key:)
    known = { id: customer_id, intent_id: created[:id], status: created[:status], read_at: Time.now.to_i }
    store.add(:customer, customer_id, { **person.slice(:first_name, :last_name, :phone), **known })
    # Its webhook may have arrived first.
    sync_intent(created[:id])
    customer_id
  end

  # Stores an intent's status. The lock keeps an older answer from replacing a newer one.
  def sync_intent(intent_id)
    @reading.synchronize do
      intent = service.call(:get, "/v1/user_intent/#{intent_id}")
      store.change(:customer, intent.dig(:metadata, :customer_id)) do |customer|
        # Once the person has authorized, the user's status counts.
        customer[:user_id] ? {} : intent.slice(:status)
      end
    end
  end

  # Stores a user's status, unknown once disconnected, and once it exists, the account to pay.
  def sync_user(user_id)
    @reading.synchronize do
      known = read_user(user_id)
      customers = store.all(:customer).select { |customer| customer[:user_id] == user_id }
      customers.each { |customer| store.change(:customer, customer[:id]) { known } }
    end
  end

  def start_visit(session, customer)
    subject = customer[:user_id] ? { user_id: customer[:user_id] } : { user_intent_id: customer[:intent_id] }
    address, state, verifier = service.start_visit(customer[:id], subject)
    store.put(:visit, state, { session:, verifier: })
    address
  end

  # Handles the redirect back: once, from this service, in the same browser session.
  def finish_visit(session, customer, query)
    visit = store.take(:visit, query["state"])
    unless visit && visit[:session] == session && query["iss"] == settings[:base_url]
      raise Plainbook::RefusedError.new(400, description: "We can't match this to a request from you.")
    end

    code = query["code"] or raise Plainbook::RefusedError.new(403, description: "You didn't authorize the shop.")
    user = service.connect(code, visit[:verifier]) do |authorized|
      next authorized[:id] == customer[:user_id] if customer[:user_id]

      authorized.dig(:metadata, :customer_id) == customer[:id]
    end
    store.change(:customer, customer[:id]) { { user_id: user[:id] } }
    sync_user(user[:id])
  end

  def disconnect(customer)
    service.disconnect(customer[:user_id])
    sync_customer(customer)
  end

  def accounts(user_id) = service.call_as(user_id, :get, "/v1/accounts")[:accounts]

  # The customers who can be paid: approved, with an account.
  def sellers
    store.all(:customer).select do |customer|
      customer[:id] != BUSINESS && customer[:status] == "approved" && customer[:account_id]
    end
  end

  # Stores a payment before sending it. Its key is the form's, so submitting the form again pays once.
  def pay(key, amount, seller_id)
    seller = sellers.find { |customer| customer[:id] == seller_id }
    raise BadFormError, "Choose an approved seller who authorized the shop." unless seller

    source_id = store.get(:customer, BUSINESS)[:account_id] or raise Plainbook::NotConnectedError
    # The name contains the key, so the service's list identifies a payment whose answer was lost.
    body = { name: "Payout #{key}", amount:, source_id:, destination_id: seller[:account_id] }
    payment = { key:, seller: seller[:first_name], body:, status: "unknown", not_before: 0 }
    # Check the connection before storing, or a job would send the payment later.
    service.access_token(@business_id)
    run("Payment #{key}") { send_payment(key) } if store.add(:payment, key, payment)
  end

  # Reads the service's list, newest first, until each open payment is found. Returns the missing keys.
  def read_open_payments
    missing = store.all(:payment).select { |payment| open?(payment) }.map { |payment| payment[:key] }
    path = ROUTINES
    while missing.any? && path
      page = read_as_business(path)
      page[:routines].each do |routine|
        missing.delete(key_of(routine))
        run("Routine #{routine[:id]}") { update_payment(routine) }
      end
      path = page[:next] && "#{ROUTINES}&starting_after=#{page[:next]}"
    end
    missing
  end

  # Stores a verified webhook, once. A job reads its record after we have answered.
  def store_webhook(event)
    @work << event if store.add(:webhook, event[:webhook_id], { **event, is_done: false })
  end

  # Never returns. A job that fails is retried in the next round.
  def run_jobs
    Thread.new { loop { sleep JOBS_EVERY_SECONDS; @work << :tick } }
    loop do
      %i[process_webhooks settle_payments read_people renew].each { |job| run("Job #{job}") { send(job) } }
      @work.pop
      @work.clear
    end
  end

  private

  # Runs a job or a part of one. A failure is retried in the next round and doesn't block the others.
  def run(name)
    yield
  rescue StandardError => error
    warn "#{name} failed and will be retried: #{error.inspect}"
  end

  # Sends what the list lacks. The list comes first: the service may forget a key after 72 hours.
  def settle_payments
    read_open_payments.each { |key| run("Payment #{key}") { send_payment(key) } }
  end

  # Reads each person once an hour, because webhooks can get lost.
  def read_people
    read_before = Time.now.to_i - (settings.fetch(:read_people_after_minutes, 60) * 60)
    stale = store.all(:customer).select { |customer| customer.fetch(:read_at, 0) <= read_before }
    stale.each do |customer|
      run("Customer #{customer[:id]}") do
        sync_customer(customer)
        store.change(:customer, customer[:id]) { { read_at: Time.now.to_i } }
      end
    end
  end

  def read_user(user_id)
    status = service.call_as(user_id, :get, "/v1/user")[:status]
    { status:, account_id: accounts(user_id).dig(0, :id) }.compact
  rescue Plainbook::NotConnectedError
    { status: "unknown" }
  end

  # Reads the user, or before the person has authorized, an intent without a decision.
  def sync_customer(customer)
    if customer[:user_id]
      sync_user(customer[:user_id])
    elsif !DECIDED.include?(customer[:status])
      sync_intent(customer[:intent_id])
    end
  rescue Plainbook::RefusedError => refusal
    warn "Customer #{customer[:id]} wasn't read: #{refusal.message}"
  end

  # Sends a payment that has no routine yet, one at a time, always with the same key.
  def send_payment(key)
    @sending.synchronize do
      payment = store.get(:payment, key)
      # The service may use the word "unknown" too.
      is_unknown = payment[:status] == "unknown" && !payment.key?(:routine_id)
      book_or_void(key, payment[:body]) if is_unknown && payment[:not_before] <= Time.now.to_i
    rescue Plainbook::UnknownOutcomeError => unknown
      # A job sends it again.
      store.change(:payment, key) { { not_before: Time.now.to_i + unknown.retry_after } }
    end
  end

  def book_or_void(key, body)
    update_payment(book("", body, key))
  rescue Plainbook::RefusedError => refusal
    # An earlier try may have succeeded. Voiding the key returns its routine, or rules it out.
    routine = book("/void", nil, key)[:routine]
    routine ? update_payment(routine) : store.change(:payment, key) { { status: NOT_MADE + refusal.message } }
  end

  def book(path, body, key) = service.call_as(@business_id, :post, "/v1/routines/book#{path}", body, key:)

  def key_of(routine) = routine[:name].to_s.delete_prefix("Payout ")

  # Copies a routine's status to its payment. A final status never changes.
  def update_payment(routine)
    status = String.try_convert(routine[:status]) or raise "it has no status"
    known = store.change(:payment, key_of(routine)) do |payment|
      open?(payment) ? { status:, routine_id: routine[:id] } : {}
    end
    warn "Routine #{routine[:id]} isn't one of our payments. Investigate it." unless known
  end

  def open?(payment) = !ENDED.include?(payment[:status]) && !payment[:status].start_with?(NOT_MADE)

  def process_webhooks
    waiting = store.all(:webhook).reject { |event| event[:is_done] }
    waiting.each { |event| run("Webhook #{event[:webhook_id]}") { process_webhook(event) } }
  end

  def process_webhook(event)
    begin
      read_record(event)
    rescue Plainbook::RefusedError, Plainbook::NotConnectedError => error
      warn "Webhook #{event[:webhook_id]} changed nothing: #{error.message}"
    end
    store.change(:webhook, event[:webhook_id]) { { is_done: true } }
  end

  # Reads an event's record, because webhooks arrive in any order and carry no status.
  def read_record(event)
    case event
    in { webhook_type: "user_intent_updated", resource_id: }
      sync_intent(resource_id)
    in { webhook_type: "user_updated", user_id: }
      sync_user(user_id)
    in { webhook_type: "routine_updated", resource_id: }
      update_payment(read_as_business("/v1/routines/#{resource_id}"))
    in { webhook_type: "transfer_updated", resource_id: }
      transfer = read_as_business("/v1/transfers/#{resource_id}")
      update_payment(read_as_business("/v1/routines/#{transfer[:routine_id]}"))
    else
      # A newer type.
    end
  end

  def read_as_business(path) = service.call_as(@business_id, :get, path)

  def renew
    service.idle_pairs(settings.fetch(:renew_after_days, 7)).each do |pair|
      run("Renewal of user #{pair[:user_id]}") { service.refresh(pair[:user_id], pair[:access_token]) }
    end
  end
end

# The pages: one object per request.
class Pages < WEBrick::HTTPServlet::AbstractServlet
  include ERB::Util

  ACTIONS = {
    "GET /" => :home,
    "POST /sign-up" => :sign_up,
    "POST /sign-in" => :sign_in,
    "POST /authorize" => :authorize,
    "GET /callback" => :callback,
    "GET /accounts" => :accounts,
    "POST /disconnect" => :disconnect,
    "GET /payments" => :payments,
    "POST /payments" => :pay,
    "POST /webhooks" => :receive_webhook
  }.freeze
  HEAD = <<~HTML
    <!doctype html><html lang=en><meta name=viewport content="width=device-width">
    <style>body { font: 1rem/1.5 sans-serif; margin: 1rem } label { display: block } td { padding-right: 1rem }</style>
  HTML
  OUTDATED = "<p>We can't update these payments right now. This page may be out of date.</p>"
  AUTHORIZE = "<form method=post action=/authorize><button>Authorize the shop</button></form>"
  DISCONNECT = "<form method=post action=/disconnect><button>Disconnect</button></form>"
  NO_ACCOUNT = "<p>You have no account yet. It opens when you're approved.</p>"
  LINKS = "<p><a href=/accounts>Accounts</a> <a href=/payments>Payments</a>"

  def initialize(server, shop)
    super(server)
    @shop = shop
  end

  # Runs an action for the signed-in customer, and turns errors into pages.
  def service(request, response)
    @request, @response = request, response
    @session = request.cookies.find { |cookie| cookie.name == "session" }&.value
    signed_in = @shop.store.get(:session, @session)
    @customer = signed_in && @shop.store.get(:customer, signed_in[:customer_id])
    response["cache-control"] = "no-store"
    run_action
  rescue BadFormError => error
    page(400, "Please check the form", "<p>#{h error.message}</p>")
  rescue Plainbook::RefusedError => refusal
    page(refusal.status, "That didn't work", "<p>#{h refusal.message}</p>#{AUTHORIZE}")
  rescue Plainbook::NotConnectedError
    page(403, "The connection has ended", "<p>Please authorize the shop again.</p>#{AUTHORIZE}")
  rescue Plainbook::UnknownOutcomeError
    page(503, "The payment service didn't answer", "<p>Please go back and try again. Nothing is done twice.</p>")
  end

  private

  def run_action
    if (customer_id = @request.path[%r{\A/v1/customers/(.+)\z}, 1])
      send_customer(customer_id)
    elsif (action = ACTIONS["#{@request.request_method} #{@request.path}"])
      send(action)
    else
      page(404, "Page not found", LINKS)
    end
  end

  def home
    if @customer
      status = "<p>Your status: #{h @customer[:status]}.</p>"
      page(200, "Hello, #{h @customer[:first_name]}", status + AUTHORIZE + LINKS)
    else
      page(200, "Sell at The Shop", <<~HTML)
        <form method=post action=/sign-up>#{new_key}
        #{FIELDS.map { |name| field(name) }.join}<button>Sign up</button></form>
        <h2>Office</h2>
        <form method=post action=/sign-in>#{field(:password, type: "password")}<button>Sign in</button></form>
      HTML
    end
  end

  def sign_up
    person = FIELDS.to_h { |name| [name, form_value(name)] }
    start_session(@shop.sign_up(form_key, person, @request.peeraddr.last))
  end

  def sign_in
    unless OpenSSL.secure_compare(form_value(:password), @shop.settings[:office_password])
      raise Plainbook::RefusedError.new(403, description: "That password is wrong.")
    end

    start_session(BUSINESS)
  end

  def start_session(customer_id)
    # SameSite keeps other sites' forms out. Add Secure behind HTTPS.
    @response["set-cookie"] = "session=#{@shop.sign_in(customer_id)}; HttpOnly; SameSite=Lax; Path=/"
    redirect("/")
  end

  def authorize = redirect(@shop.start_visit(@session, signed_in))

  def callback
    @shop.finish_visit(@session, signed_in, decode(@request.query_string.to_s))
    redirect("/accounts")
  end

  def accounts
    rows = @shop.accounts(signed_in[:user_id]).map do |account|
      "<tr><td>#{h account[:name]}<td>#{dollars(account[:available_balance])}"
    end
    table = rows.empty? ? NO_ACCOUNT : "<table>#{rows.join}</table>"
    page(200, "Accounts", "#{table}#{AUTHORIZE}#{DISCONNECT}")
  end

  def disconnect
    @shop.disconnect(signed_in)
    page(200, "You disconnected the shop", AUTHORIZE)
  end

  def pay
    require_business
    amount = form_value(:amount)
    unless amount.match?(AMOUNT) && amount.to_f.positive? && amount.to_f <= AMOUNT_MAX
      raise BadFormError, "Enter an amount in dollars and cents, such as 10.00."
    end

    # JSON numbers are floats. Send this one unchanged; calculate in cents or BigDecimal.
    @shop.pay(form_key, amount.to_f, form_value(:customer_id))
    redirect("/payments")
  end

  def payments
    require_business
    options = @shop.sellers.map do |seller|
      "<option value=#{seller[:id]}>#{h seller[:first_name]} #{h seller[:last_name]}"
    end
    form = <<~HTML
      <form method=post action=/payments>#{new_key}
      <label>Seller <select name=customer_id>#{options.join}</select></label>#{field(:amount)}<button>Pay</button></form>
    HTML
    notice = read_open_payments
    rows = @shop.store.all(:payment).map do |payment|
      "<tr><td>#{h payment[:seller]}<td>#{dollars(payment[:body][:amount])}<td>#{h payment[:status]}"
    end
    page(200, "Payments", "#{notice}#{form}<table>#{rows.join("\n")}</table>")
  end

  # Returns a notice if that failed.
  def read_open_payments
    @shop.read_open_payments
    ""
  rescue Plainbook::UnknownOutcomeError
    OUTDATED
  rescue Plainbook::RefusedError, Plainbook::NotConnectedError
    OUTDATED + AUTHORIZE
  end

  # Called by the service for trusted authentication, before it answers our verification request.
  def send_customer(customer_id)
    expected = "Bearer #{@shop.settings[:customer_endpoint_secret]}"
    return respond(401) unless OpenSSL.secure_compare(@request["authorization"].to_s, expected)

    customer = @shop.store.get(:customer, customer_id)
    return respond(404) unless customer&.key?(:authenticated_at)

    person = customer.slice(:first_name, :last_name, :phone)
    record = { customer_id:, **person, lastAuthenticationTime: customer[:authenticated_at] }
    respond(200, JSON.generate(record), "application/json")
  end

  def receive_webhook
    event = @shop.service.verify_webhook(@request, body) or return respond(401)
    @shop.store_webhook(event)
    respond(204)
  end

  def signed_in = @customer || raise(Plainbook::RefusedError.new(403, description: "Please sign in."))

  def require_business
    raise Plainbook::RefusedError.new(403, description: "Please sign in.") unless signed_in[:id] == BUSINESS
  end

  def body
    length = @request["content-length"] or raise WEBrick::HTTPStatus::LengthRequired
    raise WEBrick::HTTPStatus::RequestEntityTooLarge if length.to_i > BODY_BYTES_MAX

    @request.body.to_s
  end

  def form = @form ||= decode(body)
  def decode(text) = URI.decode_www_form(text).to_h.transform_values(&:scrub)

  def form_value(name)
    value = form[name.to_s].to_s.strip
    value.empty? ? raise(BadFormError, "Please fill in #{name.to_s.tr("_", " ")}.") : value
  end

  # The form's own id: the same each time the form is submitted.
  def form_key
    form["key"].to_s[KEY] || raise(BadFormError, "Please reload the page and try again.")
  end

  def field(name, type: "text")
    "<label>#{name.to_s.tr("_", " ").capitalize} <input name=#{name} type=#{type} required></label>\n"
  end

  def new_key = "<input type=hidden name=key value=#{SecureRandom.uuid}>"
  def dollars(amount) = format("$%.2f", amount)

  def redirect(address)
    @response["location"] = address
    respond(303)
  end

  def page(status, title, content) = respond(status, "#{HEAD}<title>#{title}</title><h1>#{title}</h1>#{content}")

  def respond(status, text = "", type = "text/html; charset=utf-8")
    @response.status = status
    @response.content_type = type
    @response.body = text
  end
end

# Only this user can read the data.
File.umask(0o077)
abort "usage: ruby shop.rb settings.json" if ARGV.size != 1
settings = JSON.parse(File.read(ARGV.first), symbolize_names: true)
abort "Add \"office_password\" to #{ARGV.first}." if settings[:office_password].to_s.empty?
shop = Shop.new(settings)
Thread.new { shop.run_jobs }
address = URI(shop.settings[:redirect_uris].first)
started = -> { puts "The shop is open at #{address.origin}" }
$stdout.sync = true
# No access log, because the callback's URL contains the code.
log = WEBrick::Log.new($stderr, WEBrick::Log::WARN)
options = { BindAddress: address.host, Port: address.port, RequestTimeout: 10, AccessLog: [], Logger: log }
server = WEBrick::HTTPServer.new(**options, DoNotReverseLookup: true, StartCallback: started)
server.mount("/", Pages, shop)
server.start
