#include "operation/testing/client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "ber/reader.h"
#include "ber/writer.h"
#include "ldap/dn.h"
#include "ldap/oids.h"

namespace kauri::operation::testing {

void QueueExecutor::post(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  ++posted_;
  arrived_.notify_all();
}

bool QueueExecutor::take(std::function<void()>& job, bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) {
    arrived_.wait_for(lock, std::chrono::seconds(10), [this] { return !jobs_.empty(); });
  }
  if (jobs_.empty()) return false;
  job = std::move(jobs_.front());
  jobs_.pop_front();
  return true;
}

bool QueueExecutor::run_one() {
  std::function<void()> job;
  if (!take(job, true)) return false;
  job();
  return true;
}

void QueueExecutor::run_ready() {
  std::function<void()> job;
  while (take(job, false)) job();
}

std::string Reply::names() const {
  std::vector<std::string> values;
  for (const FoundEntry& entry : entries) {
    const auto dn = ldap::parse_dn(entry.dn);
    values.push_back(dn && !dn->empty() ? dn->rdns[0].avas[0].value : "?");
  }
  std::sort(values.begin(), values.end());
  std::string joined;
  for (const std::string& value : values) joined += (joined.empty() ? "" : ",") + value;
  return joined;
}

std::string search_message(ldap::MessageId id, std::string_view base, std::string_view filter,
                           std::vector<std::string> attributes, ldap::Scope scope) {
  ldap::SearchRequestText request;
  request.base = base;
  request.scope = scope;
  request.attributes = std::move(attributes);
  std::string message;
  ldap::append_search_request(message, id, request, *ldap::parse_filter(filter));
  return message;
}

std::string replace_message(ldap::MessageId id, std::string_view dn, std::string_view attribute,
                            std::string_view value) {
  std::string message;
  ldap::append_modify_request(message, id, dn,
                              {{ldap::ModifyOperation::kReplace, {attribute, {value}}}});
  return message;
}

std::string paged_value(std::uint32_t size, std::string_view cookie) {
  std::string value;
  ber::Writer writer(value);
  writer.begin(ber::kSequence);
  writer.integer(size);
  writer.octet_string(cookie);
  writer.end();
  return value;
}

ldap::Control control(std::string_view oid, bool critical, std::optional<std::string> value) {
  return {std::string(oid), critical, std::move(value)};
}

// --- Client ---

Client::Client(Directory& directory, Peer peer, std::string_view dn, std::string_view password)
    : directory_(directory) {
  session_ = directory.service_->session(std::move(peer), *directory.worker_, directory.executor_);
  session_->set_output_ready([this] { session_->take_output(received_); });
  if (dn.empty()) return;
  const Reply reply = bind(dn, password);
  EXPECT_EQ(reply.code, 0) << dn << ": " << reply.diagnostic;
}

Client::~Client() {
  if (session_ != nullptr) session_->closed();
}

void Client::send(std::string_view message) {
  session_->handle(message, Clock::system().monotonic_nanos(), received_);
}

Reply Client::exchange(std::string_view message, ldap::MessageId id) {
  send(message);
  return wait(id);
}

Reply Client::wait(ldap::MessageId id) {
  Reply reply;
  while (!take_reply(id, reply)) {
    if (session_->has_work()) {
      session_->run_turn(received_, received_.size() + limits::kOutputQueueMax);
    } else if (session_->operations_in_flight() == 0 || !directory_.executor_.run_one()) {
      break;
    }
  }
  return reply;
}

namespace {

void read_entry(std::string_view body, Reply& reply) {
  ldap::EntryMessageView view;
  ASSERT_TRUE(ldap::decode_search_entry(body, view));
  FoundEntry& entry = reply.entries.emplace_back();
  entry.dn = view.dn;
  for (const ldap::AttributeView& attribute : view.attributes) {
    auto& values = entry.attributes[std::string(attribute.description)];
    for (const std::string_view value : attribute.values) values.emplace_back(value);
  }
}

void read_result(ber::Tag tag, std::string_view body, Reply& reply) {
  ldap::ResultView result;
  if (tag == ber::application_constructed(24)) {
    ldap::ExtendedResponseView extended;
    ASSERT_TRUE(ldap::decode_extended_response(body, extended));
    result = extended.result;
    if (extended.value.has_value()) reply.value = std::string(*extended.value);
    reply.notice = extended.name == ldap::oids::kNoticeOfDisconnection;
  } else {
    ASSERT_TRUE(ldap::decode_result(body, result));
  }
  reply.code = static_cast<int>(result.code);
  reply.matched_dn = result.matched_dn;
  reply.diagnostic = result.diagnostic;
  for (const std::string_view uri : result.referrals) reply.referrals.emplace_back(uri);
}

void read_controls(ber::Reader& fields, Reply& reply) {
  std::string_view controls;
  if (!fields.optional(ber::context_constructed(0), controls)) return;
  ber::Reader reader(controls);
  while (!reader.at_end()) {
    ber::Reader control = reader.nested(ber::kSequence);
    const std::string_view oid = control.octet_string();
    if (control.peek() == ber::kBoolean) control.boolean();
    const std::string_view value = control.octet_string();
    ASSERT_TRUE(control.ok());
    if (oid == ldap::oids::kExplain) reply.plan = std::string(value);
    if (oid != ldap::oids::kPagedResults) continue;
    ber::Reader paged(value);
    ber::Reader parts = paged.nested(ber::kSequence);
    parts.integer();
    reply.cookie = std::string(parts.octet_string());
    ASSERT_TRUE(parts.ok());
  }
}

}  // namespace

// Takes whole messages of the operation out of what was received; others stay.
bool Client::take_reply(ldap::MessageId id, Reply& reply) {
  std::size_t at = 0;
  bool done = false;
  while (at < received_.size() && !done) {
    const ber::Frame frame = ber::find_message(std::string_view(received_).substr(at), 1U << 30U);
    if (frame.state != ber::Frame::State::kComplete) {
      ADD_FAILURE() << "the output is no message";
      return true;
    }
    const std::string message = received_.substr(at, frame.size);
    ber::Reader reader(message);
    ber::Reader fields = reader.nested(ber::kSequence);
    const std::int64_t message_id = fields.integer();
    const ber::Tag tag = fields.peek();
    const std::string_view body = fields.element(tag);
    if (message_id != id && message_id != 0) {
      at += frame.size;
      continue;
    }
    received_.erase(at, frame.size);
    if (tag == ber::application_constructed(4)) {
      read_entry(body, reply);
    } else if (tag == ber::application_constructed(19)) {
      std::vector<std::string_view> uris;
      EXPECT_TRUE(ldap::decode_search_reference(body, uris));
      reply.references.emplace_back(uris.begin(), uris.end());
    } else {
      read_result(tag, body, reply);
      read_controls(fields, reply);
      done = true;
    }
  }
  return done;
}

Reply Client::bind(std::string_view dn, std::string_view password) {
  std::string message;
  ldap::append_simple_bind_request(message, next_id(), dn, password);
  return exchange(message, last_id_);
}

Reply Client::search(const ldap::SearchRequestText& request, std::string_view filter,
                     const std::vector<ldap::Control>& controls) {
  const auto parsed = ldap::parse_filter(filter);
  if (!parsed) {
    ADD_FAILURE() << filter << ": " << parsed.error().message();
    return {};
  }
  std::string message;
  ldap::append_search_request(message, next_id(), request, *parsed, controls);
  return exchange(message, last_id_);
}

Reply Client::search(std::string_view base, ldap::Scope scope, std::string_view filter,
                     std::vector<std::string> attributes) {
  ldap::SearchRequestText request;
  request.base = base;
  request.scope = scope;
  request.attributes = std::move(attributes);
  return search(request, filter);
}

std::string Client::find(std::string_view filter) {
  const Reply reply = search(S, ldap::Scope::kSubtree, filter, {"1.1"});
  return reply.code == 0 ? reply.names() : "code " + std::to_string(reply.code);
}

Reply Client::read(std::string_view dn, std::vector<std::string> attributes) {
  return search(dn, ldap::Scope::kBase, "(objectClass=*)", std::move(attributes));
}

std::string Client::value(std::string_view dn, const std::string& attribute) {
  const Reply reply = read(dn, {attribute});
  if (reply.entries.size() != 1) return "code " + std::to_string(reply.code);
  std::string joined;
  for (const auto& [name, values] : reply.entries[0].attributes) {
    for (const std::string& value : values) joined += (joined.empty() ? "" : "|") + value;
  }
  return joined;
}

Reply Client::compare(std::string_view dn, std::string_view attribute, std::string_view value,
                      const std::vector<ldap::Control>& controls) {
  std::string message;
  ldap::append_compare_request(message, next_id(), {dn, attribute, value}, controls);
  return exchange(message, last_id_);
}

Reply Client::add(std::string_view dn, std::string_view text,
                  const std::vector<ldap::Control>& controls) {
  std::vector<ldap::AttributeView> attributes;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon);
    auto found = std::find_if(attributes.begin(), attributes.end(),
                              [&](const auto& known) { return known.description == name; });
    if (found == attributes.end()) {
      attributes.push_back({name, {}});
      found = attributes.end() - 1;
    }
    found->values.push_back(line.substr(colon + 2));
  }
  std::string message;
  ldap::append_add_request(message, next_id(), dn, attributes, controls);
  return exchange(message, last_id_);
}

Reply Client::modify(std::string_view dn, const std::vector<Change>& changes,
                     const std::vector<ldap::Control>& controls) {
  std::vector<ldap::ModificationView> modifications;
  for (const Change& change : changes) {
    modifications.push_back(
        {change.operation, {change.attribute, {change.values.begin(), change.values.end()}}});
  }
  std::string message;
  ldap::append_modify_request(message, next_id(), dn, modifications, controls);
  return exchange(message, last_id_);
}

Reply Client::remove(std::string_view dn, const std::vector<ldap::Control>& controls) {
  std::string message;
  ldap::append_delete_request(message, next_id(), dn, controls);
  return exchange(message, last_id_);
}

Reply Client::rename(std::string_view dn, std::string_view new_rdn, bool delete_old,
                     std::optional<std::string_view> superior) {
  std::string message;
  ldap::append_modify_dn_request(message, next_id(), {dn, new_rdn, delete_old, superior});
  return exchange(message, last_id_);
}

Reply Client::extended(std::string_view oid, std::optional<std::string_view> value) {
  std::string message;
  ldap::append_extended_request(message, next_id(), {oid, value});
  return exchange(message, last_id_);
}

std::string Client::who_am_i() {
  const Reply reply = extended(ldap::oids::kWhoAmI);
  return reply.code == 0 && reply.value.has_value() ? *reply.value
                                                    : "code " + std::to_string(reply.code);
}

Reply Client::page(std::string_view filter, std::uint32_t size, std::string_view cookie,
                   std::int32_t size_limit, std::string_view base) {
  ldap::SearchRequestText request;
  request.base = base;
  request.scope = ldap::Scope::kSubtree;
  request.size_limit = size_limit;
  request.attributes = {"1.1"};
  return search(request, filter,
                {control(ldap::oids::kPagedResults, true, paged_value(size, cookie))});
}

}  // namespace kauri::operation::testing
