import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Records by id, for one process, in a file written on each change. Encrypt the tokens outside a sandbox. */
class Table<T> {
    private static final Gson JSON = new GsonBuilder()
            .registerTypeAdapter(Instant.class, (JsonSerializer<Instant>) (time, type, gson) ->
                    new JsonPrimitive(time.toString()))
            .registerTypeAdapter(Instant.class, (JsonDeserializer<Instant>) (json, type, gson) ->
                    Instant.parse(json.getAsString()))
            .create();

    private final Path file;
    // What the file contains.
    private Map<String, T> records;

    Table(Path folder, Class<T> type) {
        file = folder.resolve(type.getSimpleName().toLowerCase() + ".json");
        try {
            // Only this user can read the data.
            var permissions = PosixFilePermissions.fromString("rwx------");
            Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(permissions));
            var records = TypeToken.getParameterized(LinkedHashMap.class, String.class, type);
            this.records = JSON.fromJson(Files.exists(file) ? Files.readString(file) : "{}", records.getType());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    public synchronized Optional<T> find(String id) {
        return Optional.ofNullable(records.get(id));
    }

    public synchronized List<T> all() {
        return List.copyOf(records.values());
    }

    public synchronized void put(String id, T value) {
        write(id, value);
    }

    /** Adds a record if there is none, and returns whether it did. */
    synchronized boolean add(String id, T value) {
        if (records.containsKey(id)) return false;
        write(id, value);
        return true;
    }

    /** Changes a record if it exists, and returns whether it does. */
    synchronized boolean change(String id, UnaryOperator<T> change) {
        if (!records.containsKey(id)) return false;
        write(id, change.apply(records.get(id)));
        return true;
    }

    /** Deletes a record and returns it. Only one caller gets it. */
    synchronized Optional<T> take(String id) {
        Optional<T> taken = find(id);
        if (taken.isPresent()) write(id, null);
        return taken;
    }

    public void remove(String id) {
        take(id);
    }

    /** Deletes the record if the value is null. A new file replaces the old one, so a crash corrupts neither. */
    private void write(String id, T value) {
        var changed = new LinkedHashMap<>(records);
        if (value == null) changed.remove(id);
        else changed.put(id, value);
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.writeString(draft, JSON.toJson(changed), CREATE, TRUNCATE_EXISTING, WRITE, SYNC);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        records = changed;
    }
}
