# frozen_string_literal: true

require "digest"
require "json"
require "net/http"
require "openssl"
require "securerandom"
require "uri"

# A client for the service. Standard library only: copy this file and bring your own store.
#
# The store keeps documents by kind and id, like `Store` in shop.rb. Each token pair is one document.
class Plainbook
  EARLY_REFRESH_SECONDS = 60
  WEBHOOK_TOLERANCE_SECONDS = 5 * 60
  LONGEST_PAUSE_SECONDS = 5
  SECONDS_A_DAY = 86_400
  TRANSIENT = [408, 409, 429].freeze
  NETWORK_ERRORS = [
    SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError,
    Net::HTTPBadResponse, JSON::ParserError
  ].freeze

  # The service refused the call and did nothing.
  class RefusedError < StandardError
    attr_reader :status, :reason

    def initialize(status, answer)
      @status = status
      @reason = answer[:reason] || answer[:error]
      description = answer[:description] || answer[:error_description] || "The service answered #{status}."
      fields = answer.fetch(:errors, []).map { |error| "#{error[:field]}: #{error[:message]}" }
      super([description, *fields].join(" "))
    end
  end

  # No answer, or an inconclusive one: the call may have taken effect.
  class UnknownOutcomeError < StandardError
    attr_reader :retry_after

    def initialize(message, retry_after = 0)
      @retry_after = retry_after
      super(message)
    end
  end

  # There are no usable tokens: the person must authorize again.
  class NotConnectedError < StandardError; end

  def initialize(settings, store)
    @settings = settings
    @store = store
    # These locks cover one process. With several, lock the user's row in the database instead.
    @locks = {}
    @locks_guard = Mutex.new
  end

  # Calls with the client's credentials or a user's token. Retries only what is safe to retry.
  def call(method, path, body = nil, key: nil, token: nil, tries: method == :get || key ? 3 : 1)
    attempt = 1
    begin
      send_once(method, path, body, key, token)
    rescue UnknownOutcomeError => error
      pause = error.retry_after.nonzero? || (2**attempt * rand(0.1..0.3))
      raise if attempt == tries || pause > LONGEST_PAUSE_SECONDS

      sleep pause
      attempt += 1
      retry
    end
  end

  # Calls with the user's access token. If the service refuses the token, refreshes it and retries once.
  def call_as(user_id, method, path, body = nil, **options)
    token = access_token(user_id)
    begin
      call(method, path, body, token:, **options)
    rescue RefusedError => refusal
      raise unless refusal.status == 401

      call(method, path, body, token: refresh(user_id, token), **options)
    end
  end

  # Returns the user's access token, refreshed if it expires within a minute.
  def access_token(user_id)
    pair = @store.get(:pair, user_id) or raise NotConnectedError
    is_ending = pair[:expires_at] - EARLY_REFRESH_SECONDS < Time.now.to_i
    is_ending ? refresh(user_id, pair[:access_token]) : pair[:access_token]
  end

  # Replaces an access token. Concurrent callers share one refresh.
  def refresh(user_id, old_token)
    lock(user_id) do
      pair = @store.get(:pair, user_id) or raise NotConnectedError
      next pair[:access_token] if pair[:access_token] != old_token

      # Even if this refresh fails, the old token isn't sent again.
      @store.put(:pair, user_id, { **pair, expires_at: 0 })
      body = { grant_type: "refresh_token", refresh_token: pair[:refresh_token] }
      save(user_id, call(:post, "/v1/oauth/token", body, tries: 3))
    rescue RefusedError => refusal
      raise if refusal.reason != "invalid_grant"

      @store.take(:pair, user_id)
      raise NotConnectedError
    end
  end

  # Returns the pairs to refresh, because refresh tokens expire after ten days. Weekly is recommended.
  def idle_pairs(days)
    @store.all(:pair).select { |pair| pair[:saved_at] + (days * SECONDS_A_DAY) <= Time.now.to_i }
  end

  # Revokes the authorization, then deletes its tokens.
  def disconnect(user_id)
    lock(user_id) do
      pair = @store.get(:pair, user_id) or next
      call(:post, "/v1/oauth/revoke", { token: pair[:refresh_token] }, tries: 3)
      @store.take(:pair, user_id)
    end
  end

  # Returns the URL to visit, and the state and verifier to store. `subject`: a user_id or user_intent_id.
  def start_visit(customer_id, subject)
    body = { provider: @settings[:provider], provider_data: { customer_id: }, **subject }
    session_token = call(:post, "/v1/partner/identity/verification", body)[:token]
    state, verifier = Array.new(2) { SecureRandom.urlsafe_base64(32) }
    query = {
      **subject,
      session_token:,
      client_id: @settings[:client_id],
      redirect_uri: @settings[:redirect_uris].first,
      response_type: "code",
      state:,
      code_challenge: Digest::SHA256.base64digest(verifier).tr("+/", "-_").delete("="),
      code_challenge_method: "S256"
    }
    ["#{@settings[:auth_url]}/login/oauth/authorize?#{URI.encode_www_form(query)}", state, verifier]
  end

  # Exchanges a code and returns its user. Stores the tokens only if the block accepts the user.
  def connect(code, verifier)
    grant = { grant_type: "authorization_code", redirect_uri: @settings[:redirect_uris].first }
    # Never retried: a second exchange of a code revokes the first one's tokens.
    issued = call(:post, "/v1/oauth/token", { **grant, code:, code_verifier: verifier })
    user = call(:get, "/v1/user", token: issued[:access_token])
    raise RefusedError.new(403, description: "Someone else authorized. Please try again.") unless yield user

    # A refresh of the previous tokens may be running, and deletes them if it is refused.
    lock(user[:id]) { save(user[:id], issued) }
    user
  end

  # Returns the event if the current or previous secret signed exactly these bytes recently, or nil.
  def verify_webhook(headers, body)
    timestamp = headers["webhook-timestamp"].to_s
    return unless timestamp.match?(/\A\d+\z/)
    return if (Time.now.to_i - timestamp.to_i).abs > WEBHOOK_TOLERANCE_SECONDS

    signed = "#{headers["webhook-id"]}.#{timestamp}.#{body}"
    received = headers["webhook-signature"].to_s.split
    secrets = @settings.values_at(:webhook_secret, :previous_webhook_secret)
    keys = secrets.map { |secret| secret.to_s.delete_prefix("whsec_").unpack1("m") }
    is_genuine = keys.reject(&:empty?).any? do |key|
      digest = OpenSSL::HMAC.digest("SHA256", key, signed)
      expected = "v1,#{[digest].pack("m0")}"
      received.any? { |signature| OpenSSL.secure_compare(expected, signature) }
    end
    JSON.parse(body, symbolize_names: true) if is_genuine
  end

  private

  def send_once(method, path, body, key, token)
    uri = URI(@settings[:base_url] + path)
    request = Net::HTTP.const_get(method.capitalize).new(uri, "accept" => "application/json")
    request["idempotency-key"] = key if key
    if body
      request.content_type = "application/json"
      request.body = JSON.generate(body)
    end
    if token
      request["authorization"] = "Bearer #{token}"
    else
      credentials = @settings.values_at(:client_id, :client_secret)
      request.basic_auth(*credentials.map { |text| URI.encode_www_form_component(text) })
    end
    read_answer(request, exchange(uri, request))
  rescue *NETWORK_ERRORS => error
    raise UnknownOutcomeError, "#{request.method} #{path}: #{error.message}"
  end

  def exchange(uri, request)
    seconds = @settings.fetch(:timeout_seconds, 10)
    # By default, Net::HTTP retries reads itself.
    options = { use_ssl: uri.scheme == "https", open_timeout: seconds, read_timeout: seconds, max_retries: 0 }
    Net::HTTP.start(uri.host, uri.port, options) { |http| http.request(request) }
  end

  def read_answer(request, response)
    status = response.code.to_i
    case response
    when Net::HTTPSuccess
      return response.body.to_s.empty? ? nil : JSON.parse(response.body, symbolize_names: true)
    when Net::HTTPClientError
      raise RefusedError.new(status, read_object(response.body)) unless TRANSIENT.include?(status)
    end
    raise UnknownOutcomeError.new("#{request.method} #{request.path}: #{status}", response["retry-after"].to_i)
  end

  def read_object(text)
    answer = JSON.parse(text.to_s, symbolize_names: true)
    answer.is_a?(Hash) ? answer : {}
  rescue JSON::ParserError
    {}
  end

  def save(user_id, issued)
    now = Time.now.to_i
    pair = { user_id:, saved_at: now, expires_at: now + (issued[:expires_in] || 7200) }
    @store.put(:pair, user_id, { **pair, **issued.slice(:access_token, :refresh_token) })
    issued[:access_token]
  end

  def lock(user_id, &block)
    @locks_guard.synchronize { @locks[user_id] ||= Mutex.new }.synchronize(&block)
  end
end
